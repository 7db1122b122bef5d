import { defineTexts } from '../texts.ts';

/** Names of a relying party's permissions. */
export const permissionWords = defineTexts({
  mn: {
    AUTH: 'Иргэнийг нэвтрүүлэх',
    SIGN: 'Гарын үсэг захиалах',
    SEAL: 'Байгууллагын тамга дарах',
    ORG_LINK_WRITE: 'Байгууллагын гарын үсэг зурагчдыг удирдах',
    PKI_READ: 'Гэрчилгээний лавлагаа авах',
    RISK_SIGNALS: 'Утасны эрсдэлийн мэдээлэл асуух',
  },
  en: {
    AUTH: 'Log citizens in',
    SIGN: 'Ask for signatures',
    SEAL: 'Seal for organizations',
    ORG_LINK_WRITE: "Manage organizations' signers",
    PKI_READ: 'Look certificates up',
    RISK_SIGNALS: 'Ask for risk signals of phones',
  },
});
