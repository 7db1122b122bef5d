import { both, help, shows } from './help.ts';

/** Help on problems of any request. */
export const requestHelp = {
  INVALID_REQUEST: help(
    shows.ourFault,
    'Read `errors`: each entry has a `pointer` to the field and a sentence about it. Correct the request; sending the same one again gives the same answer.',
    {
      title: 'Хүсэлт буруу байна',
      means: 'Хүсэлтийн бүтэц эсвэл утга буруу байна; дэлгэрэнгүйг errors талбараас үзнэ үү.',
      todo: '`errors` талбарыг уншина уу: мөр бүрд аль талбар (`pointer`) яагаад буруу болохыг бичсэн байгаа. Хүсэлтээ засна уу; ижил хүсэлтэд ижил хариу ирнэ.',
    },
  ),
  CLIENT_TOO_OLD: help(
    both(
      'This app is too old. Please update it.',
      'Энэ аппликейшн хуучирсан байна. Та шинэчилнэ үү.',
    ),
    'Move to a generation of the protocol that is served; discovery lists them. The client library speaks the newest one.',
    {
      title: 'Клиент хуучирсан',
      means: 'Протоколын энэ хувилбарыг дэмжихээ больсон.',
      todo: 'Дэмжигдэж буй хувилбар руу шилжинэ үү; жагсаалт нь `/.well-known/eid` хаягт байна.',
    },
  ),
  UNSUPPORTED_MEDIA_TYPE: help(
    shows.ourFault,
    'Send `Content-Type: application/json` in UTF-8 and no `Content-Encoding`.',
    {
      title: 'Дэмжигдээгүй төрөл',
      means: 'Хүсэлтийн агуулгын төрлийг хүлээж авахгүй.',
      todo: '`Content-Type: application/json`, UTF-8 кодчиллоор, шахалгүй илгээнэ үү.',
    },
  ),
  PAYLOAD_TOO_LARGE: help(
    both('This file is too large.', 'Энэ файл хэтэрхий том байна.'),
    'Send less. The limit for PDF files is `pdfSigning.maxInputBytes` of discovery; sign the digest of a larger file instead.',
    {
      title: 'Агуулга хэт том',
      means: 'Хүсэлтийн агуулга энэ хаягийн зөвшөөрөх хэмжээнээс том байна.',
      todo: 'Хэмжээг багасгана уу. PDF файлын дээд хэмжээ `/.well-known/eid` хаягийн `pdfSigning.maxInputBytes` талбарт байна; түүнээс том бол файлын хураангуйд гарын үсэг зуруулна уу.',
    },
  ),
  METHOD_NOT_ALLOWED: help(
    shows.ourFault,
    'Use a method of the `Allow` header; the API reference has the right one for each operation.',
    {
      title: 'Энэ аргыг зөвшөөрөхгүй',
      means: 'Энэ хаяг хүсэлтийн уг аргыг (method) хүлээж авахгүй.',
      todo: '`Allow` толгойд бичсэн аргыг ашиглана уу.',
    },
  ),
  NOT_FOUND: help(
    both('There is nothing here.', 'Энд юу ч алга.'),
    'Compare the address with the API reference, including upper and lower case. Behind a proxy, check what it removes or adds.',
    {
      title: 'Олдсонгүй',
      means: 'Энэ хаягт юу ч байхгүй.',
      todo: 'Хаягаа API-ийн тайлбартай тулгана уу; том жижиг үсэг ялгаатай. Прокси ашигладаг бол хаягийг өөрчилж байгаа эсэхийг шалгана уу.',
    },
  ),
  CONFLICT: help(
    both(
      'Somebody changed this at the same time. Please look at it again.',
      'Өөр хүн үүнийг зэрэг өөрчилсөн байна. Та дахин үзнэ үү.',
    ),
    'Read the object again, decide whether the change is still wanted, and send it once more.',
    {
      title: 'Зөрчил',
      means: 'Өөр хүн үүнийг яг энэ үед өөрчилсөн байна.',
      todo: 'Дахин уншиж, өөрчлөлт хэрэгтэй хэвээр эсэхийг шийдээд дахин илгээнэ үү.',
    },
  ),
  PRECONDITION_FAILED: help(
    both(
      'Somebody changed this while you were editing. Please load it again.',
      'Таныг засаж байх хооронд өөр хүн өөрчилжээ. Та дахин ачаална уу.',
    ),
    'Read it again with its new `ETag`, merge the change and send it with `If-Match`.',
    {
      title: 'Энэ хооронд өөрчлөгдсөн',
      means: 'Уншсанаас хойш өөр хүн үүнийг өөрчилсөн байна.',
      todo: 'Шинэ `ETag`-тай нь дахин уншиж, өөрчлөлтөө нэгтгээд `If-Match` толгойтой илгээнэ үү.',
    },
  ),
  RATE_LIMITED: help(
    shows.tooMany,
    'Wait for the seconds of `Retry-After`. `detail` names the limit, its setting and when it ends. A citizen who just refused should not be asked again at once.',
    {
      title: 'Хэт олон хүсэлт',
      means: 'Зөвшөөрөгдсөнөөс олон хүсэлт илгээсэн байна.',
      todo: '`Retry-After` толгойд заасан секундийг хүлээнэ үү. `detail` нь аль хязгаар, ямар тохиргоо, хэзээ дуусахыг хэлнэ. Дөнгөж татгалзсан иргэнээс шууд дахин бүү хүснэ үү.',
    },
  ),
  QUOTA_EXCEEDED: help(
    shows.tooMany,
    'Wait for the seconds of `Retry-After`, or ask the operator for a larger quota.',
    {
      title: 'Хязгаар дууссан',
      means: 'Нэг өдөрт үүсгэж, хадгалж болох хэмжээг дуусгасан байна.',
      todo: '`Retry-After` толгойд заасан секундийг хүлээх, эсвэл операторт хандаж хязгаараа нэмүүлнэ үү.',
    },
  ),
  OVERLOADED: help(
    shows.busy,
    'Send the request again after `Retry-After` seconds, waiting longer each time. The client library does this by itself.',
    {
      title: 'Ачаалал хэтэрсэн',
      means: 'Үйлчилгээ ачаалалтай байна.',
      todo: '`Retry-After` секундийн дараа дахин илгээнэ үү; давтах бүрдээ илүү удаан хүлээнэ үү.',
    },
  ),
  DEPENDENCY_UNAVAILABLE: help(
    shows.busy,
    'Send the request again after `Retry-After` seconds. Operators can see which part is unavailable in the console, under System.',
    {
      title: 'Үйлчилгээ ажиллахгүй байна',
      means: 'Үйлчилгээний нэг хэсэг ажиллахгүй байна.',
      todo: '`Retry-After` секундийн дараа дахин илгээнэ үү. Оператор консолын «Систем» хэсгээс аль нь ажиллахгүйг харна.',
    },
  ),
  MAINTENANCE: help(
    both(
      'The service is under maintenance. Please try again later.',
      'Үйлчилгээнд засвар хийж байна. Та дараа дахин оролдоно уу.',
    ),
    'Wait for `Retry-After` seconds. Sessions that are already running are answered as usual.',
    {
      title: 'Засвар үйлчилгээ',
      means: 'Засварын үед шинэ сесс эхлүүлэхгүй.',
      todo: '`Retry-After` секунд хүлээнэ үү. Эхэлсэн сессүүд хэвийн үргэлжилнэ.',
    },
  ),
  INTERNAL: help(
    shows.ourFault,
    'Give `instance` to the operator, who can find the cause in the log. You may resend polls and idempotent requests.',
    {
      title: 'Дотоод алдаа',
      means: 'Үйлчилгээ хариулж чадсангүй.',
      todo: '`instance` дугаарыг операторт өгнө үү; шалтгааныг уг дугаараар бүртгэлээс олно.',
    },
  ),
  UNAUTHENTICATED: help(
    both('Please sign in again.', 'Та дахин нэвтэрнэ үү.'),
    'Check the `Authorization` header: `Bearer`, one space, the secret. A rotated secret is refused at once; an access token lives for minutes.',
    {
      title: 'Нэвтрээгүй',
      means: 'Нэвтрэх мэдээлэл байхгүй, буруу, эсвэл хүчингүй болсон.',
      todo: '`Authorization` толгойг шалгана уу: `Bearer`, нэг зай, нууц түлхүүр. Сольсон нууц түлхүүрийн хуучин нь шууд хүчингүй болно.',
    },
  ),
  PERMISSION_DENIED: help(
    shows.notPermitted,
    'Ask the operator for the permission that the API reference names for this operation. Do not resend the request before you have it.',
    {
      title: 'Эрх хүрэхгүй',
      means: 'Танд энэ үйлдлийг хийх эрх байхгүй.',
      todo: 'API-ийн тайлбарт заасан эрхийг оператороос хүснэ үү. Түүнээс өмнө дахин илгээх хэрэггүй.',
    },
  ),
  IP_NOT_ALLOWED: help(
    shows.ourFault,
    'Call from a registered address, or have the operator add yours. Behind a proxy, the address is the one the proxy forwards (`SVC_TRUSTED_PROXIES`).',
    {
      title: 'Хаягийг зөвшөөрөөгүй',
      means: 'Энэ IP хаягаас хандахыг зөвшөөрөөгүй.',
      todo: 'Бүртгэлтэй хаягаас хандах, эсвэл хаягаа оператороор нэмүүлнэ үү.',
    },
  ),
  CLIENT_CERTIFICATE_REQUIRED: help(
    shows.ourFault,
    'Connect with the TLS client certificate that is registered for you, at an address that asks for one.',
    {
      title: 'Клиентийн гэрчилгээ шаардлагатай',
      means: 'Бүртгэлтэй TLS клиентийн гэрчилгээ шаардлагатай.',
      todo: 'Танд бүртгэсэн TLS клиентийн гэрчилгээгээр холбогдоно уу.',
    },
  ),
  DIRECTORY_NOT_CONFIGURED: help(
    shows.ourFault,
    'Continue without the directory, or ask the operator to set `SVC_DIRECTORY_URL`.',
    {
      title: 'Лавлах байхгүй',
      means: 'Энэ суулгацад хүн, байгууллагын лавлах тохируулаагүй.',
      todo: 'Лавлахгүйгээр үргэлжлүүлэх, эсвэл операторт хандана уу (`SVC_DIRECTORY_URL`).',
    },
  ),
  DIRECTORY_FAILED: help(
    shows.busy,
    'Try again later. Operators find the answer of the registry in the log.',
    {
      title: 'Лавлах хариулсангүй',
      means: 'Лавлахын цаад бүртгэл хариулаагүй, эсвэл ойлгомжгүй хариулсан.',
      todo: 'Дараа дахин оролдоно уу.',
    },
  ),
} as const;
