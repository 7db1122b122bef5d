import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const texts = defineTexts({
  common: {
    signer: 'who',
    status: 'status',
    anyStatus: 'anyStatus',
    fileName: 'name',
    regNumber: 'registrationNumber',
    session: 'session',
    docType: 'kind',
    forgotten: 'forgotten',
    file: 'file',
    algorithm: 'algorithm',
    certificate: 'certificate',
  },
  mn: {
    ...nav.mn,
    lead: 'Байгууллагуудын баримт, тэдгээрийг зурсан гарын үсгүүд',
    search: 'Баримт хайх',
    hint: 'Баримт, байгууллага, сессийн дугаар, гарын үсэг зурагчийн регистрийн дугаар, эсвэл файлын SHA-256 — бүтнээр нь',
    title: 'Гарчиг',
    format: 'Гарын үсгийн хэлбэр',
    signed: 'Зурсан',
    signedOf: '{{signed}} / {{all}}',
    about: 'Баримт',
    id: 'Баримтын дугаар',
    tenant: 'Байгууллага',
    createdAt: 'Үүсгэсэн',
    updatedAt: 'Өөрчилсөн',
    coveredDigest: 'Зурсан хураангуй (SHA-256)',
    proof: 'Зөвшөөрлийн нотолгоо',
    noFile: 'Файл хавсаргаагүй.',
    contentType: 'Төрөл (MIME)',
    size: 'Хэмжээ',
    digest: 'SHA-256',
    frozen: 'Гарын үсэг зурсан тул солих боломжгүй.',
    record: 'Зурсан бичвэр',
    rails: 'Юугаар зурж болох',
    available: 'Болно',
    signers: 'Зурах дараалал',
    order: 'Дараалал',
    named: 'Нэрлэсэн',
    anybody: 'Хэн ч байж болно',
    signedAt: 'Зурсан цаг',
    signatures: 'Гарын үсэг',
    noSignatures: 'Гарын үсэг хараахан зураагүй.',
    signatureOf: 'Гарын үсэг {{order}}',
    method: 'Суваг',
    value: 'Гарын үсгийн утга',
    downloadEvidence: '.p7s татах',
  },
  en: {
    ...nav.en,
    lead: 'Documents of organizations, and the signatures on them',
    search: 'Find a document',
    hint: 'Id of the document, organization or session, a signer’s registration number, or the SHA-256 of the file, in full',
    title: 'Title',
    format: 'Format of signatures',
    signed: 'Signed',
    signedOf: '{{signed}} of {{all}}',
    about: 'About',
    id: 'Id of the document',
    tenant: 'Organization',
    createdAt: 'Created',
    updatedAt: 'Changed',
    coveredDigest: 'Digest signed (SHA-256)',
    proof: 'How consent is proven',
    noFile: 'There is no file.',
    contentType: 'Media type',
    size: 'Size',
    digest: 'SHA-256',
    frozen: 'It has been signed and cannot be replaced.',
    record: 'Text signed',
    rails: 'Ways to sign',
    available: 'Available',
    signers: 'Signers, in order',
    order: 'Order',
    named: 'Named',
    anybody: 'Whoever signs',
    signedAt: 'Signed at',
    signatures: 'Signatures',
    noSignatures: 'Nobody has signed yet.',
    signatureOf: 'Signature {{order}}',
    method: 'Rail',
    value: 'Signature value',
    downloadEvidence: 'Download .p7s',
  },
});

export const statusWords = defineTexts({
  common: { REJECTED: 'rejected' },
  mn: {
    DRAFT: 'Ноорог',
    PENDING_APPROVAL: 'Гарын үсэг хүлээж байна',
    APPROVED: 'Бүгд зурсан',
  },
  en: {
    DRAFT: 'Draft',
    PENDING_APPROVAL: 'Awaiting signatures',
    APPROVED: 'Signed by all',
  },
});

export const typeWords = defineTexts({
  common: { REQUEST: 'request' },
  mn: { CONTRACT: 'Гэрээ', APPROVAL: 'Зөвшөөрөл' },
  en: { CONTRACT: 'Contract', APPROVAL: 'Approval' },
});

export const formatWords = defineTexts({
  mn: {
    pades: 'PAdES: PDF дотор',
    detached: 'Файлаас тусдаа',
    approval: 'Файлгүй зөвшөөрөл',
  },
  en: {
    pades: 'PAdES: in the PDF',
    detached: 'Detached from the file',
    approval: 'Approval without a file',
  },
});

export const proofWords = defineTexts({
  mn: { eid_signature: 'Иргэний eID гарын үсэг (ПИН2)' },
  en: { eid_signature: "Signature of the citizen's eID (PIN2)" },
});

/** Names of signing rails (contract §11). */
export const methodWords = defineTexts({
  mn: { EID: 'eID гарын үсэг', DAN: 'ДАН' },
  en: { EID: 'eID signature', DAN: 'DAN' },
});

/** Reasons a signing rail is unavailable. */
export const reasonWords = defineTexts({
  mn: {
    not_allowed: 'Байгууллагын бодлого зөвшөөрөөгүй',
    not_configured: 'Энэ суулгацад тохируулаагүй',
  },
  en: {
    not_allowed: 'Not allowed by the organization’s policy',
    not_configured: 'Not configured in this installation',
  },
});
