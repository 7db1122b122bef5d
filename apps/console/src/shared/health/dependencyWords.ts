import { defineTexts } from '../texts.ts';

/** Dependencies of the service, by their names in `/readyz`. */
export const dependencyWords = defineTexts({
  mn: {
    database: 'Өгөгдлийн сан',
    eventStore: 'Үйл явдлын бүртгэл',
    keyVault: 'Түлхүүрийн хадгалалт',
    durability: 'Өгөгдлийн сангийн найдвартай бичилт',
    clock: 'Серверийн цаг',
    release: 'Хувилбарын нийцэл',
    soleProcess: 'Цорын ганц процессын түгжээ',
    restored: 'Нөөц хуулбараас сэргээсний зөвшөөрөл',
    projector: 'Жагсаалт, хайлтын шинэчлэл',
    eventsKept: 'Үйл явдлын бүртгэлийн бүрэн бүтэн байдал',
    redis: 'Redis',
    timestampClock: 'Цагийн тэмдгийн цаг',
    names: 'Нэрийн сервер (DNS)',
    fileStore: 'Файлын сан',
    archive: 'Архив',
    temporaryFiles: 'Түр файл',
    countryRevocations: 'Гадаад паспортын хүчингүйн жагсаалт',
    fileScanner: 'Файлын вирус шалгагч',
    push: 'Түлхэх мэдэгдлийн гарц',
    dan: 'ДАН (иргэнийг таних)',
    gsign: 'G-Sign (иргэнийг таних)',
    certificateStatus: 'Гадны гэрчилгээний төлөв (OCSP, CRL)',
    timestamping: 'Гадны цагийн тэмдэг',
    directory: 'Байгууллагын лавлах',
    languageModel: 'Туслахын хэлний загвар',
    embeddings: 'Туслахын мэдлэгийн хайлт',
    speechToText: 'Туслах: яриаг бичвэр болгох',
    textToSpeech: 'Туслах: бичвэрийг яриа болгох',
  },
  en: {
    database: 'Database',
    eventStore: 'Event log',
    keyVault: 'Key store',
    durability: 'Durable writes of the database',
    clock: 'Clock of the machine',
    release: 'Release of this process',
    soleProcess: 'Lock of the only process',
    restored: 'Acceptance of the restored backup',
    projector: 'Upkeep of lists and searches',
    eventsKept: 'Completeness of the event log',
    redis: 'Redis',
    timestampClock: 'Clock of timestamps',
    names: 'Name servers (DNS)',
    fileStore: 'File store',
    archive: 'Archive',
    temporaryFiles: 'Temporary files',
    countryRevocations: 'Revocations of foreign passports',
    fileScanner: 'Virus scanner',
    push: 'Push gateway',
    dan: 'DAN (identity proofing)',
    gsign: 'G-Sign (identity proofing)',
    certificateStatus: 'Status of foreign certificates (OCSP, CRL)',
    timestamping: 'External timestamps',
    directory: 'Directory of organizations',
    languageModel: 'Language model of the assistant',
    embeddings: 'Knowledge search of the assistant',
    speechToText: 'Assistant: speech to text',
    textToSpeech: 'Assistant: text to speech',
  },
});

/** Consequence while one of them is not up, and remedy. */
export const dependencyHelp = defineTexts({
  mn: {
    database:
      'Хүсэлтүүдэд хариулахгүй. Өгөгдлийн сангийн сервер, сүлжээ, дискийг шалгана уу; холбогдмогц өөрөө үргэлжилнэ.',
    eventStore:
      'Шинэ нэвтрэлт, гарын үсгийг хадгалж чадахгүй. Бүртгэлийн сервер ба дискний сул зайг шалгана уу.',
    keyVault: 'Гэрчилгээ олгож, гарын үсэг зурж чадахгүй. HSM ба түүний холболтыг шалгана уу.',
    durability:
      'Хадгалсан гэж хэлсэн зүйл алдагдаж болзошгүй. Өгөгдлийн сангийн тохиргоог дээрх шалтгаанаар засна уу.',
    clock: 'Хугацаа буруу тооцогдоно. Серверийн цагийг NTP-ээр тохируулна уу.',
    release: 'Энэ процесс бичихгүй. Суулгацын хувилбартай ижил хувилбараар дахин ажиллуулна уу.',
    soleProcess: 'Өөр процесс ажиллаж байна. Нэгийг нь зогсооно уу.',
    restored:
      'Сэргээсэн суулгац хүлээн зөвшөөрөх хүртэл үйлчлэхгүй: ./tamga restore accept командаар зөвшөөрнө.',
    projector:
      'Жагсаалт, хайлт, статистик хоцорно; нэвтрэлт үргэлжилнэ. projector үүрэгтэй процесс ажиллаж буйг шалгана уу.',
    eventsKept:
      'Бүртгэлээс үйл явдал алдагдсан. Процессыг дахин ажиллуулахын өмнө нөөц хуулбар, репликийг шалгана уу.',
    other:
      'Үүнийг ашигладаг хэсэг л ажиллахгүй, бусад нь хэвийн. Тухайн систем, түүний хаяг, сүлжээг шалгана уу.',
  },
  en: {
    database:
      'Nothing is answered. Look at the database server, the network and the disk; it goes on by itself once connected.',
    eventStore:
      'New logins and signatures cannot be kept. Look at the server of the log and at the space on its disk.',
    keyVault: 'No certificate is issued and nothing is signed. Look at the HSM and its connection.',
    durability:
      'What was acknowledged may be lost. Correct the settings of the database as the reason says.',
    clock: 'Times are computed wrongly. Set the clock of the machine by NTP.',
    release: 'This process writes nothing. Start it again with the release of the installation.',
    soleProcess: 'Another process runs. End one of them.',
    restored:
      'The restored installation serves nobody until it is accepted: ./tamga restore accept.',
    projector:
      'Lists, searches and statistics are behind; logins go on. See that a process with the role projector runs.',
    eventsKept:
      'The log has lost events. Compare backups and replicas before you restart the process.',
    other: 'Only what needs it does not work. Look at that system, its address and the network.',
  },
});
