import { defineTexts } from '../../shared/texts.ts';

export const parkedTexts = defineTexts({
  common: { actions: 'actions', retry: 'tryAgain' },
  mn: {
    parkedEvents: 'Тусгаж чадаагүй үйл явдлууд',
    where: 'Хаана',
    event: 'Үйл явдал',
    openEvent: 'Аудитаас харах',
    error: 'Алдаа',
    waits: 'Хүлээж буй үйл явдал',
    retried: 'Дахин оролдож байна.',
    skip: 'Алгасах',
    skipLead:
      'Энэ үйл явдлыг энд хэзээ ч тусгахгүй: түүний өөрчлөлт харагдахгүй үлдэнэ. Бүртгэлд хэвээр хадгалагдана. Буцаах боломжгүй.',
    skipped: 'Алгаслаа.',
  },
  en: {
    parkedEvents: 'Events that cannot be projected',
    where: 'Where',
    event: 'Event',
    openEvent: 'See the audit',
    error: 'Error',
    waits: 'Events waiting',
    retried: 'It is tried again.',
    skip: 'Skip',
    skipLead:
      'This event is never shown here: what it changed stays as it was. It remains in the log. This cannot be taken back.',
    skipped: 'It is skipped.',
  },
});
