import { defineTexts } from '../texts.ts';

/** CRLReasons of RFC 5280 (5.3.1) an operator may give. */
export const revocationReasons = [0, 1, 3, 4, 5, 6, 9] as const;

export const revocationTexts = defineTexts({
  mn: {
    reason0: 'тодорхой заагаагүй',
    reason1: 'түлхүүр алдагдсан',
    reason2: 'гэрчилгээжүүлэх байгууллагын түлхүүр алдагдсан',
    reason3: 'харьяалал өөрчлөгдсөн',
    reason4: 'шинэ гэрчилгээгээр солигдсон',
    reason5: 'үйл ажиллагаа зогссон',
    reason6: 'түр түдгэлзүүлсэн',
    reason8: 'түдгэлзүүлснийг цуцалсан',
    reason9: 'эрх нь дууссан',
    reason10: 'аттрибут эрхийн түлхүүр алдагдсан',
  },
  en: {
    reason0: 'unspecified',
    reason1: 'key compromise',
    reason2: 'CA compromise',
    reason3: 'affiliation changed',
    reason4: 'superseded',
    reason5: 'cessation of operation',
    reason6: 'certificate hold',
    reason8: 'removed from CRL',
    reason9: 'privilege withdrawn',
    reason10: 'attribute authority compromise',
  },
});
