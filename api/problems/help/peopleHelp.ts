import { both, help, shows } from './help.ts';

/** Help on problems of representation, identity proofing, certificates and relying parties. */
export const peopleHelp = {
  REPRESENTATION_DENIED: help(
    shows.cannotRepresent,
    'Offer only organizations that the representations of the person list.',
    {
      title: 'Төлөөлөх эрхгүй',
      means: 'Энэ хүн уг байгууллагыг төлөөлөх эрхгүй.',
      todo: 'Зөвхөн тухайн хүний төлөөлж болох байгууллагуудыг санал болгоно уу.',
    },
  ),
  REPRESENTATION_PENDING: help(
    shows.cannotRepresent,
    'Wait until an administrator of the organization has confirmed the right on their phone.',
    {
      title: 'Төлөөлөх эрх баталгаажаагүй',
      means: 'Энэ байгууллагыг төлөөлөх эрх хараахан баталгаажаагүй.',
      todo: 'Байгууллагын администратор утсан дээрээ баталгаажуултал хүлээнэ үү.',
    },
  ),
  REPRESENTATION_EXPIRED: help(
    shows.cannotRepresent,
    'An administrator of the organization has to give the right again.',
    {
      title: 'Төлөөлөх эрхийн хугацаа дууссан',
      means: 'Энэ байгууллагыг төлөөлөх эрхийн хугацаа дууссан.',
      todo: 'Байгууллагын администратор эрхийг дахин олгоно.',
    },
  ),
  REPRESENTATION_REVOKED: help(
    shows.cannotRepresent,
    'An administrator of the organization has withdrawn the right; only they can give it again.',
    {
      title: 'Төлөөлөх эрхийг цуцалсан',
      means: 'Энэ байгууллагыг төлөөлөх эрхийг цуцалсан.',
      todo: 'Эрхийг зөвхөн байгууллагын администратор дахин олгоно.',
    },
  ),
  NOT_ORG_ADMIN: help(
    both(
      'Only an administrator of the organization may do this.',
      'Үүнийг зөвхөн байгууллагын администратор хийнэ.',
    ),
    'Have somebody act whose right in the organization is `ADMIN`.',
    {
      title: 'Администратор биш',
      means: 'Үйлдэл хийж буй хүн байгууллагын администратор биш.',
      todo: '`ADMIN` эрхтэй хүнээр хийлгэнэ үү.',
    },
  ),
  LAST_ADMIN: help(
    both(
      'The last administrator must stay. Add another one first.',
      'Сүүлчийн администраторыг хасах боломжгүй. Та эхлээд өөр администратор нэмнэ үү.',
    ),
    'Add another administrator, then remove this one.',
    {
      title: 'Сүүлчийн администратор',
      means: 'Байгууллагын сүүлчийн администратор үлдэх ёстой.',
      todo: 'Эхлээд өөр администратор нэмээд, дараа нь үүнийг хасна уу.',
    },
  ),
  REPRESENTATIVE_NOT_FOUND: help(
    shows.goneOrMistyped,
    'Read the representatives of the organization again; this one may be gone.',
    {
      title: 'Төлөөлөгч олдсонгүй',
      means: 'Байгууллагад ийм төлөөлөгч байхгүй.',
      todo: 'Байгууллагын төлөөлөгчдийг дахин уншина уу.',
    },
  ),
  SIGNER_NOT_ENROLLED: help(
    both(
      'This person has no electronic identity yet. Ask them to set up the app.',
      'Энэ хүн цахим таниулбаргүй байна. Та түүнээс аппликейшн тохируулахыг хүснэ үү.',
    ),
    'Invite the signer again once they have enrolled a phone.',
    {
      title: 'Гарын үсэг зурагч бүртгэлгүй',
      means: 'Гарын үсэг зурагч цахим таниулбаргүй байна.',
      todo: 'Утсаа бүртгүүлсний дараа нь дахин урина уу.',
    },
  ),
  KEY_PROOF_INVALID: help(
    shows.notAccepted,
    'Sign the proof of possession with the private key that belongs to the public key sent.',
    {
      title: 'Түлхүүрийн баталгаа буруу',
      means: 'Эзэмшлийн баталгаа нийтийн түлхүүртэйгээ таарахгүй байна.',
      todo: 'Илгээсэн нийтийн түлхүүрийн хувийн түлхүүрээр баталгааг үүсгэнэ үү.',
    },
  ),
  ENROLMENT_TOKEN_INVALID: help(
    both(
      'The time to set up the phone has passed. Please verify your identity again.',
      'Утсаа тохируулах хугацаа дууслаа. Та иргэний үнэмлэхээ дахин баталгаажуулна уу.',
    ),
    'Start the identity proofing again; its token works once, for a few minutes.',
    {
      title: 'Бүртгэлийн токен буруу',
      means: 'Токен буруу, ашиглагдсан, эсвэл хугацаа нь дууссан.',
      todo: 'Хэн болохыг дахин баталгаажуулна уу; токен нэг удаа, хэдэн минут хүчинтэй.',
    },
  ),
  ENROLMENT_BLOCKED: help(
    both(
      'You stopped new phones for some time. Please try again later, or ask the help desk.',
      'Та шинэ утас бүртгэхийг түр зогсоосон байна. Та дараа оролдох, эсвэл тусламжийн төвд хандана уу.',
    ),
    'Wait: the citizen reported that an enrolment was not theirs. The help desk checks who is asking.',
    {
      title: 'Бүртгэлийг хаасан',
      means: 'Иргэн шинэ утас бүртгэхийг хэсэг хугацаанд зогсоосон.',
      todo: 'Хүлээнэ үү: иргэн бүртгэлийг өөрийнх нь биш гэж мэдэгдсэн.',
    },
  ),
  IDENTITY_NOT_VERIFIED: help(
    both(
      'The data does not match a valid identity card. Please check each field.',
      'Мэдээлэл хүчинтэй иргэний үнэмлэхтэй таарахгүй байна. Та талбар бүрийг шалгана уу.',
    ),
    'Have the citizen enter the data from the card again. The answer does not say which field differs.',
    {
      title: 'Хэн болох нь батлагдаагүй',
      means: 'Өгсөн мэдээлэл хүчинтэй бичиг баримттай таарахгүй байна.',
      todo: 'Иргэнээр үнэмлэхний мэдээллийг дахин оруулуулна уу. Аль талбар зөрснийг хэлэхгүй.',
    },
  ),
  VERIFICATION_METHOD_NOT_AVAILABLE: help(
    both('Please choose another way.', 'Та өөр арга сонгоно уу.'),
    'Offer the methods of `GET /v3/kyc/methods`.',
    {
      title: 'Арга боломжгүй',
      means: 'Энд хэн болохыг уг аргаар баталгаажуулдаггүй.',
      todo: '`GET /v3/kyc/methods` хаягийн жагсаалтаас санал болгоно уу.',
    },
  ),
  VERIFICATION_NOT_FOUND: help(
    shows.beginAgain,
    'Use the id and the secret of the answer that started the verification.',
    {
      title: 'Баталгаажуулалт олдсонгүй',
      means: 'Энэ дугаар, нууц түлхүүртэй баталгаажуулалт байхгүй.',
      todo: 'Эхлүүлсэн хариуд ирсэн дугаар, нууц түлхүүрийг ашиглана уу.',
    },
  ),
  VERIFICATION_ENDED: help(
    shows.beginAgain,
    'Read its status; start another verification when it failed.',
    {
      title: 'Баталгаажуулалт дууссан',
      means: 'Энэ баталгаажуулалт дахин оролдлого авахгүй.',
      todo: 'Төлөвийг нь уншина уу; амжилтгүй бол шинээр эхлүүлнэ үү.',
    },
  ),
  VERIFICATION_EXPIRED: help(shows.beginAgain, 'Start another verification.', {
    title: 'Баталгаажуулалтын хугацаа дууссан',
    means: 'Энэ баталгаажуулалтын хугацаа дууссан.',
    todo: 'Шинээр эхлүүлнэ үү.',
  }),
  CERTIFICATE_NOT_FOUND: help(
    shows.goneOrMistyped,
    'Give the serial number in hexadecimal, as the list has it.',
    {
      title: 'Гэрчилгээ олдсонгүй',
      means: 'Ийм серийн дугаартай гэрчилгээ байхгүй.',
      todo: 'Серийн дугаарыг жагсаалтад байгаа шиг, арван зургаатын тооллоор өгнө үү.',
    },
  ),
  CERTIFICATE_NOT_ACTIVE: help(
    both('This certificate is not valid any more.', 'Энэ гэрчилгээ хүчингүй болсон байна.'),
    'Read the certificate: it is revoked, suspended, replaced or out of date.',
    {
      title: 'Гэрчилгээ хүчингүй',
      means: 'Гэрчилгээ хүчинтэй төлөвт байхгүй.',
      todo: 'Гэрчилгээг уншина уу: цуцалсан, түр зогсоосон, сольсон, эсвэл хугацаа нь дууссан.',
    },
  ),
  REVOCATION_REASON_INVALID: help(
    both('Please choose another reason.', 'Та өөр шалтгаан сонгоно уу.'),
    'Give a reason that `errors` lists.',
    {
      title: 'Цуцлах шалтгаан буруу',
      means: 'Шалтгаан нь RFC 5280-ийн, энд өгч болох шалтгаан байх ёстой.',
      todo: '`errors` талбарт жагсаасан шалтгаанаас өгнө үү.',
    },
  ),
  SUSPENSION_NOT_ALLOWED: help(
    both(
      'This certificate cannot be put on hold, only revoked.',
      'Энэ гэрчилгээг түр зогсоох боломжгүй, зөвхөн цуцалж болно.',
    ),
    'Revoke it for another reason.',
    {
      title: 'Түр зогсоох боломжгүй',
      means: 'Энэ төрлийн гэрчилгээг түр зогсоодоггүй.',
      todo: 'Өөр шалтгаанаар цуцална уу.',
    },
  ),
  RELYING_PARTY_NOT_FOUND: help(shows.goneOrMistyped, 'Look the relying party up in the list.', {
    title: 'Хүсэлт гаргагч олдсонгүй',
    means: 'Ийм хүсэлт гаргагч байхгүй.',
    todo: 'Жагсаалтаас хайна уу.',
  }),
  SUBSYSTEM_NOT_FOUND: help(
    shows.goneOrMistyped,
    'Read the subsystems of the relying party again.',
    {
      title: 'Дэд систем олдсонгүй',
      means: 'Хүсэлт гаргагчид ийм дугаартай дэд систем байхгүй.',
      todo: 'Хүсэлт гаргагчийн дэд системүүдийг дахин уншина уу.',
    },
  ),
  SUBSYSTEM_NOT_ACTIVE: help(
    shows.ourFault,
    'Name an active subsystem in `rp_app`, or have the operator activate this one.',
    {
      title: 'Дэд систем идэвхгүй',
      means: '`rp_app` талбарт заасан дэд системийг идэвхгүй болгосон.',
      todo: '`rp_app` талбарт идэвхтэй дэд систем заах, эсвэл операторт хандана уу.',
    },
  ),
  OIDC_CLIENT_NOT_FOUND: help(
    shows.goneOrMistyped,
    'Look the client up in the list; `client_id` is compared as it stands.',
    {
      title: 'Клиент олдсонгүй',
      means: 'Ийм `client_id`-тай клиент байхгүй.',
      todo: 'Жагсаалтаас хайна уу; `client_id`-г яг байгаагаар нь тулгадаг.',
    },
  ),
  INTERACTION_NOT_FOUND: help(
    both(
      'This login has ended. Please go back to the service and start again.',
      'Энэ нэвтрэлт дууссан байна. Та үйлчилгээ рүүгээ буцаж, шинээр эхлүүлнэ үү.',
    ),
    'Send the browser to the authorization endpoint again. A login belongs to the browser it was started in.',
    {
      title: 'Нэвтрэлт олдсонгүй',
      means: 'Энэ нэвтрэлт дууссан, эсвэл өөр хөтчид эхэлсэн.',
      todo: 'Хөтчийг нэвтрэх хаяг руу дахин илгээнэ үү. Нэвтрэлт эхэлсэн хөтөчдөө л үргэлжилнэ.',
    },
  ),
} as const;
