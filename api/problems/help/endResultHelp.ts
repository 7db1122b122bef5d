import type { EndResult } from '../../../domain/session/events.ts';
import { both, type Bilingual } from './help.ts';

/** Texts of the page of an end result. */
export interface EndResultHelp {
  readonly title: Bilingual;
  readonly means: Bilingual;
  /** Remedy, for the relying party's developer. */
  readonly todo: Bilingual;
  /** Sentence for the citizen in front of the screen. */
  readonly show: Bilingual;
}

const neverRepeat = both(
  'Tell the citizen, and start again only if they ask for it. Never repeat a refused request on your own: pushes to that citizen are limited after a refusal.',
  'Иргэнд мэдэгдэж, зөвхөн өөрөө хүсвэл шинээр эхлүүлнэ үү. Татгалзсан хүсэлтийг өөрөө бүү давтана уу: татгалзсаны дараа тухайн иргэнд илгээх хүсэлт хязгаарлагдана.',
);

const refused = both(
  'You refused on your phone. Nothing happened.',
  'Та утсан дээрээ татгалзсан байна. Юу ч хийгдээгүй.',
);

function refusal(where: Bilingual): EndResultHelp {
  return {
    title: both('Refused', 'Татгалзсан'),
    means: both(`The citizen refused ${where.en}.`, `Иргэн ${where.mn} татгалзсан.`),
    todo: neverRepeat,
    show: refused,
  };
}

/** Help on every end result of a session. */
export const endResultHelp: Readonly<Record<EndResult, EndResultHelp>> = {
  OK: {
    title: both('Confirmed', 'Баталгаажсан'),
    means: both(
      'The citizen confirmed with the PIN. The answer contains the signature, the certificate and the person.',
      'Иргэн ПИН кодоор баталгаажуулсан; хариунд гарын үсэг, гэрчилгээ, хүний мэдээлэл байна.',
    ),
    todo: both(
      'Verify the answer before you trust it: the signature over your own challenge or digest, the certificate path, level and revocation. The client library does all of this.',
      'Итгэхээсээ өмнө шалгана уу: өөрийн илгээсэн утга дээрх гарын үсэг, гэрчилгээний гинж, түвшин, цуцлалт. Клиент сан бүгдийг шалгана.',
    ),
    show: both('Confirmed.', 'Баталгаажлаа.'),
  },
  TIMEOUT: {
    title: both('No answer in time', 'Хугацаандаа хариулаагүй'),
    means: both(
      'The citizen did not answer in time: within 150 seconds, unless the operator has set another limit (`SVC_SESSION_WINDOW`).',
      'Иргэн сессийн хугацаанд хариулаагүй; оператор өөрөөр тохируулаагүй бол 150 секунд (`SVC_SESSION_WINDOW`).',
    ),
    todo: both(
      'Offer a button to start again, and a QR code as an alternative: the phone may be off or offline.',
      'Шинээр эхлүүлэх товч, мөн өөр арга болгож QR код санал болгоно уу: утас унтраалттай, эсвэл сүлжээгүй байж болно.',
    ),
    show: both(
      'Your phone did not answer in time. Open the app and try again.',
      'Таны утас хугацаандаа хариулсангүй. Та аппликейшнээ нээгээд дахин оролдоно уу.',
    ),
  },
  USER_REFUSED: refusal(both('at the PIN', 'ПИН код оруулах үед')),
  USER_REFUSED_INTERACTION: {
    ...refusal(both('', '')),
    means: both(
      'The citizen refused at a screen of the request, which `result.details.interaction` names.',
      'Иргэн хүсэлтийн нэг дэлгэц дээр татгалзсан; `result.details.interaction` талбар нэрийг нь хэлнэ.',
    ),
  },
  USER_REFUSED_DISPLAYTEXTANDPIN: refusal(
    both('where the text and the PIN are shown', 'бичвэр, ПИН кодын дэлгэц дээр'),
  ),
  USER_REFUSED_VC_CHOICE: refusal(
    both('where the verification code is chosen', 'баталгаажуулах код сонгох үед'),
  ),
  USER_REFUSED_CONFIRMATIONMESSAGE: refusal(
    both('where the message is confirmed', 'мэдэгдлийг батлах үед'),
  ),
  USER_REFUSED_CERT_CHOICE: refusal(
    both('where the certificate is chosen', 'гэрчилгээ сонгох үед'),
  ),
  USER_REFUSED_NOT_ME: {
    title: both('It was not me', 'Үүнийг би хийгээгүй'),
    means: both(
      'The citizen says that they did not start this request: somebody else may have entered their number.',
      'Иргэн энэ хүсэлтийг өөрөө эхлүүлээгүй гэж мэдэгдсэн: өөр хүн дугаарыг нь бичсэн байж болзошгүй.',
    ),
    todo: both(
      'Stop what was being done and find out who asked for it. Your pushes to this citizen are blocked for a time (`SVC_PUSH_BLOCK_HOURS`); links and QR codes that the citizen opens still work. Compare by `startsWith("USER_REFUSED")`: relying parties with the statuses of Smart-ID get `USER_REFUSED`.',
      'Хийж байсан үйлдлийг зогсоож, хэн хүссэнийг шалгана уу. Энэ иргэнд илгээх таны хүсэлт хэсэг хугацаанд хаагдана (`SVC_PUSH_BLOCK_HOURS`); иргэн өөрөө нээдэг холбоос, QR код ажилласаар байна.',
    ),
    show: both(
      'The request was refused as not yours. If it was you, use the QR code.',
      'Хүсэлтийг таных биш гэж татгалзсан байна. Хэрэв та байсан бол QR код ашиглана уу.',
    ),
  },
  WRONG_VC: {
    title: both('Wrong verification code', 'Баталгаажуулах код буруу'),
    means: both(
      'The verification code chosen on the phone was not the one sent with the session. It may be a slip, or the citizen may have been looking at somebody else’s page.',
      'Утсан дээр сесстэй хамт өгснөөс өөр баталгаажуулах код сонгосон. Андуурсан, эсвэл иргэн өөр хуудас харж байсан байж болно.',
    ),
    todo: both(
      'Show the code from `vc.value` large and by itself. Let the citizen start again; do not start on your own. It is not a refusal: the first one does not limit your next request, but further ones in a row do (`SVC_PUSH_BACK_OFF`).',
      '`vc.value` талбарын кодыг томоор, тусад нь харуулна уу. Иргэнээр шинээр эхлүүлнэ үү; өөрөө бүү эхлүүлнэ үү. Энэ бол татгалзал биш: эхний удаад дараагийн хүсэлт тань хязгаарлагдахгүй, дараалан давтвал хязгаарлагдана (`SVC_PUSH_BACK_OFF`).',
    ),
    show: both(
      'The code you chose was not the one shown here. Never confirm a request you did not start. Please try again.',
      'Таны сонгосон код энд харагдаж байсан код биш байна. Өөрийн эхлүүлээгүй хүсэлтийг хэзээ ч бүү баталгаажуулна уу. Та дахин оролдоно уу.',
    ),
  },
  DOCUMENT_UNUSABLE: {
    title: both('The phone cannot be used', 'Утсыг ашиглах боломжгүй'),
    means: both(
      'The phone no longer has a suitable certificate, its PIN is locked, or the app cannot do what was asked.',
      'Утсанд тохирох гэрчилгээ байхгүй болсон, ПИН код түгжигдсэн, эсвэл аппликейшн хүссэнийг хийж чадахгүй байна.',
    ),
    todo: both(
      'Send the citizen to the app, which says what is wrong and can set up the phone again. The help desk sees the phone in the console.',
      'Иргэнийг аппликейшн рүү нь чиглүүлнэ үү: юу болсныг хэлж, утсыг дахин тохируулна. Тусламжийн төв утсыг консолоос харна.',
    ),
    show: both(
      'Your phone cannot confirm this. Open the app to see why.',
      'Таны утас үүнийг баталгаажуулах боломжгүй байна. Шалтгааныг аппликейшнээсээ үзнэ үү.',
    ),
  },
  PROTOCOL_FAILURE: {
    title: both('Protocol failure', 'Протоколын алдаа'),
    means: both(
      'The phone and the service did not understand each other; the phone sent something that does not belong to the session.',
      'Утас, үйлчилгээ хоёр ойлголцсонгүй; утас сессийнх биш зүйл илгээсэн.',
    ),
    todo: both(
      'Start again once. If it happens again, give the session id to the operator.',
      'Нэг удаа шинээр эхлүүлнэ үү. Давтагдвал сессийн дугаарыг операторт өгнө үү.',
    ),
    show: both(
      'Something went wrong between your phone and the service. Please try again.',
      'Утас, үйлчилгээний хооронд алдаа гарлаа. Та дахин оролдоно уу.',
    ),
  },
  REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: {
    title: both('The app is too old for this', 'Аппликейшн хуучирсан'),
    means: both(
      'The citizen’s app supports none of the interactions you allow.',
      'Иргэний аппликейшн таны зөвшөөрсөн дэлгэцүүдийн алийг нь ч мэдэхгүй байна.',
    ),
    todo: both(
      'Offer `displayTextAndPIN` as your last interaction, or ask the citizen to update the app.',
      'Сүүлчийн сонголтоор `displayTextAndPIN` санал болгох, эсвэл аппликейшнээ шинэчлэхийг хүснэ үү.',
    ),
    show: both(
      'Please update the app on your phone and try again.',
      'Та утасныхаа аппликейшнийг шинэчлээд дахин оролдоно уу.',
    ),
  },
  EXPECTED_LINKED_SESSION: {
    title: both('Another session was expected', 'Өөр сесс хүлээж байсан'),
    means: both(
      'The phone waits for the signature that is linked to its choice of a certificate, and this was another request.',
      'Утас гэрчилгээ сонгосноо дагаж ирэх гарын үсгийг хүлээж байсан боловч өөр хүсэлт ирсэн.',
    ),
    todo: both(
      'After a certificate choice start the linked signature first, with its `linkedSessionID`.',
      'Гэрчилгээ сонгосны дараа эхлээд `linkedSessionID`-тай холбоотой гарын үсгийг эхлүүлнэ үү.',
    ),
    show: both(
      'The phone waits for another request. Please begin again.',
      'Утас өөр хүсэлт хүлээж байна. Та шинээр эхлүүлнэ үү.',
    ),
  },
  CANCELLED_BY_RP: {
    title: both('Taken back', 'Буцаасан'),
    means: both(
      'You took the session back (`DELETE /v3/session/{sessionId}`) before the citizen answered.',
      'Иргэн хариулахаас өмнө та сессийг буцаасан (`DELETE /v3/session/{sessionId}`).',
    ),
    todo: both(
      'Nothing: begin anew when the citizen wants it. What was asked counts against the limits of pushes as before.',
      'Юу ч хийх шаардлагагүй: иргэн хүсвэл шинээр эхлүүлнэ үү. Илгээсэн хүсэлт хязгаарт урьдын адил тооцогдоно.',
    ),
    show: both('This was cancelled. Nothing was done.', 'Үүнийг цуцалсан. Юу ч хийгдээгүй.'),
  },
  SERVER_ERROR: {
    title: both('Failure of the service', 'Үйлчилгээний алдаа'),
    means: both(
      'The service could not finish the session, though the phone may have answered.',
      'Утас хариулсан байж болох ч үйлчилгээ сессийг дуусгаж чадсангүй.',
    ),
    todo: both(
      'Begin again; tell the operator with the session id when it repeats.',
      'Шинээр эхлүүлнэ үү; давтагдвал сессийн дугаарын хамт операторт мэдэгдэнэ үү.',
    ),
    show: both(
      'The service could not finish this. Please try again.',
      'Үйлчилгээ үүнийг дуусгаж чадсангүй. Та дахин оролдоно уу.',
    ),
  },
};
