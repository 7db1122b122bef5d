import { common } from '../pages/commonWords.ts';
import type { Language } from '../verify/texts.ts';

const en = {
  title: 'Connect a device',
  text: 'Enter the code shown on your television, console or program.',
  label: 'Device code',
  button: common.en.continue,
  fault: 'This code is wrong or has expired. Check the device again.',
  busy: 'Too many attempts. Wait a minute, then try again.',
  confirm: {
    title: (client: string) => `Connect ${client}?`,
    code: 'The device shows',
    text: 'Continue only if the device is in front of you and you started this yourself. Nobody should ask you for this by telephone or message.',
    yes: 'Yes, connect',
    no: 'No, do not connect',
  },
  connected: {
    title: 'The device is connected',
    text: (client: string) =>
      `Return to the device: ${client} continues there. You can close this page.`,
  },
  returns: 'You will return to your device afterwards.',
  more: 'Your data will be sent to the service on your device.',
  refused: {
    title: 'The device was not connected',
    text: 'You refused. You can close this page.',
  },
};

const mn: typeof en = {
  title: 'Төхөөрөмж холбох',
  text: 'Телевиз, консол эсвэл программ дээр харагдаж буй кодыг бичнэ үү.',
  label: 'Төхөөрөмжийн код',
  button: common.mn.continue,
  fault: 'Ийм код алга, эсвэл хугацаа нь дууссан. Төхөөрөмжөө дахин харна уу.',
  busy: 'Хэт олон оролдлого хийлээ. Нэг минут хүлээгээд дахин оролдоно уу.',
  confirm: {
    title: (client) => `${client} холбох уу?`,
    code: 'Төхөөрөмж дээрх код',
    text: 'Төхөөрөмж таны өмнө байгаа, мөн үүнийг өөрөө эхлүүлсэн бол л үргэлжлүүлнэ үү. Утсаар, зурвасаар хэн ч үүнийг танаас хүсэх ёсгүй.',
    yes: 'Тийм, холбоно',
    no: 'Үгүй, холбохгүй',
  },
  connected: {
    title: 'Төхөөрөмж холбогдлоо',
    text: (client) => `${client} төхөөрөмж дээрээ үргэлжилнэ. Энэ хуудсыг хааж болно.`,
  },
  returns: 'Дараа нь төхөөрөмж рүүгээ буцна.',
  more: 'Мэдээллийг таны төхөөрөмж дээрх үйлчилгээ рүү дамжуулна.',
  refused: {
    title: 'Төхөөрөмж холбогдсонгүй',
    text: 'Та татгалзлаа. Энэ хуудсыг хааж болно.',
  },
};

export const deviceTexts: Readonly<Record<Language, typeof en>> = { mn, en };
