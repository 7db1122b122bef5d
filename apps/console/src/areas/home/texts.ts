import { defineTexts } from '../../shared/texts.ts';

export const texts = defineTexts({
  common: {
    succeeded: 'succeeded',
    sessions: 'sessions',
    seconds: 'seconds',
    seals: 'seals',
    more: 'details',
  },
  mn: {
    nav: 'Хяналтын самбар',
    lead: 'Платформын байдал, {{time}}',
    ofSessions: '{{count}} сессээс',
    latency: 'Ихэнх хариу (p95)',
    devices: 'Идэвхтэй утас',
    certificates: 'Хүчинтэй гэрчилгээ',
    refused: 'татгалзсан: {{count}}',
    approvals: 'Шийдэх хүсэлт',
    openApprovals: 'Хүсэлтүүдийг нээх',
    health: 'Эрүүл байдал',
    healthy: 'Бүгд ажиллаж байна',
    unhealthy: 'Анхаарах зүйл байна',
  },
  en: {
    nav: 'Dashboard',
    lead: 'Platform status, {{time}}',
    ofSessions: 'of {{count}} sessions',
    latency: '95% of answers within',
    devices: 'Active phones',
    certificates: 'Certificates in force',
    refused: 'refused: {{count}}',
    approvals: 'Requests to decide',
    openApprovals: 'Open the requests',
    health: 'Health',
    healthy: 'Everything works',
    unhealthy: 'Something needs attention',
  },
});
