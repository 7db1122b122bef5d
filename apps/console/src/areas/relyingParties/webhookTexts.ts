import { defineTexts } from '../../shared/texts.ts';

export const webhookTexts = defineTexts({
  common: { at: 'when', state: 'state', reason: 'reason' },
  mn: {
    events: 'Илгээсэн үйл явдал',
    eventsLead:
      'Хамгийн шинэ 100. Хүлээж аваагүйг нэг өдрийн турш дахин илгээнэ, дараа нь гараар илгээнэ.',
    type: 'Төрөл',
    address: 'Хаяг',
    WAITING: 'Хүлээгдэж байна',
    DELIVERED: 'Хүргэсэн',
    DEAD: 'Хүргээгүй',
    resend: 'Хүргээгүйг дахин илгээх',
    resent: 'Дахин илгээж байна.',
  },
  en: {
    events: 'Events sent',
    eventsLead:
      'The newest 100. Failed deliveries are retried for a day, and after that only on request.',
    type: 'Type',
    address: 'Address',
    WAITING: 'Waiting',
    DELIVERED: 'Delivered',
    DEAD: 'Not delivered',
    resend: 'Resend undelivered events',
    resent: 'It is being sent again.',
  },
});
