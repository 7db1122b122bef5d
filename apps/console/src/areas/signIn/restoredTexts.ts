import { defineTexts } from '../../shared/texts.ts';

export const restoredTexts = defineTexts({
  mn: {
    title: 'Нөөцөөс сэргээсэн суулгац',
    lead: 'Нэг оператор зөвшөөрөхийг хүсэж, өөр нэг нь доорх жагсаалтыг хүлээн зөвшөөртөл хэнд ч үйлчлэхгүй.',
    madeAt: 'Нөөц хийсэн',
    restoredAt: 'Сэргээсэн',
    events: 'Бүртгэл дэх үйл явдал',
    head: 'Сүүлийн байрлал',
    root: 'Merkle модны үндэс',
    todo: 'Хийх ёстой, эсвэл алдагдсан',
    done: 'Дахин хийсэн',
    unknown:
      'Нөөцөөс хойш юу болсон нь мэдэгдэхгүй: хүчингүй болгосон гэрчилгээний сүүлийн жагсаалт, экспортыг сервер дээр өгнө үү (./tamga restore evidence FILE…).',
    after: 'Зөвшөөрсний дараа',
    ends: 'Өмнө олгосон бүхэн дуусна: OpenID Connect клиентийн нэвтрэлт, код, токен, операторуудын нэвтрэлт, бүртгүүлэх токен. Та ч дахин нэвтэрнэ.',
    secrets:
      'Нөөцөөс хойш солигдсон нууц түлхүүр мэдэгдэхгүй: итгэгч тал, клиентүүдийн нууц түлхүүрийг, токенд гарын үсэг зурах түлхүүрийг солино.',
    forget:
      'Нөөцөөс хойш устгасан хүмүүсийг зөвшөөрөхөөс өмнө дахин устгана (./tamga forget). Эрх нь хасагдсан оператор нөөцөд идэвхтэй хэвээр байж болно.',
    ask: 'Зөвшөөрөхийг хүсэх',
    askedByYou: 'Та зөвшөөрөхийг хүссэн. Өөр оператор нэвтэрч зөвшөөрнө.',
    askedBy: '{{who}} зөвшөөрөхийг хүссэн.',
    accept: 'Хүлээн зөвшөөрөх',
    accepted: 'Хүлээн зөвшөөрлөө. Суулгац хэдэн секундын дотор ажиллана.',
  },
  en: {
    title: 'Restored from a backup',
    lead: 'The service answers nobody and signs nothing until one operator asks for acceptance and another accepts the list below.',
    madeAt: 'Backup of',
    restoredAt: 'Restored',
    events: 'Events in the log',
    head: 'Last position',
    root: 'Merkle tree root',
    todo: 'To be done, or lost',
    done: 'Done again',
    unknown:
      'What happened after the backup is unknown: supply the latest revocation lists and exports on the machine (./tamga restore evidence FILE…).',
    after: 'After acceptance',
    ends: 'Everything issued before ends: logins, codes and tokens of OpenID Connect clients, operators’ sessions, enrolment tokens. You must sign in again.',
    secrets:
      'Secrets given out after the backup are unknown, and those before them work again: rotate those of relying parties and clients, and the keys that sign tokens.',
    forget:
      'Persons forgotten after the backup must be forgotten again before it is accepted (./tamga forget). Operators deactivated since then may be active in it.',
    ask: 'Ask for acceptance',
    askedByYou: 'You asked for acceptance. Another operator must sign in and accept it.',
    askedBy: '{{who}} asked for acceptance.',
    accept: 'Accept',
    accepted: 'Accepted. The installation serves within seconds.',
  },
});
