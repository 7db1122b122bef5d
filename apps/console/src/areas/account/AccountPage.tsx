import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useAccount } from '../../shared/account.ts';
import { useTexts } from '../../shared/texts.ts';
import { FactList, PageHeader, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { PasswordForm } from '../../shared/ui/PasswordForm.tsx';
import { capabilityWords, roleWords } from '../../../../../api/pages/words/operatorWords.ts';
import { texts } from './texts.ts';

export default function AccountPage() {
  const t = useTexts(texts);
  const roleName = useTexts(roleWords);
  const capabilityName = useTexts(capabilityWords);
  const account = useAccount();
  const hasSession = account.email !== null;
  return (
    <>
      <PageHeader title={t('title')} lead={account.email} />
      <Stack gap="md">
        <Section title={t('about')}>
          <FactList
            facts={[
              { label: t('email'), value: account.email },
              { label: t('role'), value: roleName(account.role) },
              { label: t('id'), value: account.id, copy: account.id },
              { label: t('expires'), value: <Timestamp value={account.expiresAt} /> },
            ]}
          />
        </Section>
        <Section title={t('capabilities')}>
          <Group gap={6}>
            {account.capabilities.map((each) => (
              <Badge key={each} variant="light" radius="sm" tt="none">
                {capabilityName(each)}
              </Badge>
            ))}
          </Group>
        </Section>
        <Section title={t('password')}>
          {hasSession ? (
            <Box maw={420}>
              <Text size="sm" c="dimmed" mb="sm">
                {t('passwordLead')}
              </Text>
              <PasswordForm
                onDone={() => {
                  notifications.show({ color: 'green', message: t('changed') });
                }}
              />
            </Box>
          ) : (
            <Text size="sm">{t('noSession')}</Text>
          )}
        </Section>
        <Section title={t('secondFactor')}>
          <Text size="sm">{t('secondFactorLead')}</Text>
        </Section>
      </Stack>
    </>
  );
}
