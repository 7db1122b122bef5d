import type { AssistantLanguage } from './ports/assistant.ts';

/** Answer during an outage of the model, in the caller's language. */
export const cannotAnswerNow: Readonly<Record<AssistantLanguage, string>> = {
  mn: 'Уучлаарай, одоогоор хариулах боломжгүй байна. Түр хүлээгээд дахин асууна уу.',
  en: 'Sorry, I cannot answer at the moment. Please wait a little and ask again.',
  zh: '抱歉，我暂时无法回答。请稍候再试。',
  ru: 'К сожалению, сейчас я не могу ответить. Подождите немного и спросите ещё раз.',
};

/** Answer once the daily budget is spent. */
export const atItsLimitToday: Readonly<Record<AssistantLanguage, string>> = {
  mn: 'Уучлаарай, туслахын өнөөдрийн хязгаар дууссан байна. Маргааш дахин асууна уу.',
  en: 'Sorry, the assistant has reached its limit for today. Please ask again tomorrow.',
  zh: '抱歉，智能助手今天的使用额度已满。请明天再试。',
  ru: 'К сожалению, лимит помощника на сегодня исчерпан. Пожалуйста, спросите завтра.',
};
