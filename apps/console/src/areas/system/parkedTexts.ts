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
    openEvent: 'Open in audit',
    error: 'Error',
    waits: 'Events waiting',
    retried: 'Retrying.',
    skip: 'Skip',
    skipLead:
      'This event will never show here, and what it changed stays as it was. It remains in the log. This cannot be undone.',
    skipped: 'Skipped.',
  },
});
