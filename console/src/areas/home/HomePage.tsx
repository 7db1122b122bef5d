import { useAccount } from '../../shared/account.ts';
import { useTexts } from '../../shared/texts.ts';
import { FactList, PageHeader, Section } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

export default function HomePage() {
  const t = useTexts(texts);
  const account = useAccount();
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <Section title={account.role}>
        <FactList facts={account.capabilities.map((label) => ({ label, value: '✓' }))} />
      </Section>
    </>
  );
}
