import type { operations } from '#openapi';
import { Alert, Button, FileInput, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { type Fact, FactList, PageHeader, Section, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { type Commented, SensitiveButton } from '../../shared/ui/SensitiveButton.tsx';
import { whole } from '../../shared/whole.ts';
import { texts } from './texts.ts';

type Report =
  operations['admin.registers.compare']['responses'][200]['content']['application/json'];
type Register = Report['register'];

/** Size the service takes, bytes. */
const MAX_BYTES = 1_000_000;

const formatOf = (name: string) => /\.(csv|jsonl)$/iu.exec(name)?.[1]?.toLowerCase();

export default function RegistersPage() {
  const t = useTexts(texts);
  const [register, setRegister] = useState<Register>('civil');
  const [file, setFile] = useState<File | null>(null);
  const compare = useCommand({
    run: async (given: File) =>
      api.POST('/v3/admin/registers/{register}/files', {
        params: { path: { register } },
        body: {
          format: formatOf(given.name) === 'jsonl' ? 'jsonl' : 'csv',
          content: await base64Of(given),
        },
      }),
    touches: [],
  });
  const begin =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      compare.reset();
      set(value);
    };
  const fault = file === null ? null : faultOf(file);
  const outcome = compare.data;
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} />
      <Stack gap="md">
        <Section title={t('register')}>
          <Stack gap="sm" align="flex-start">
            <SegmentedControl
              maw="100%"
              styles={{ label: { whiteSpace: 'normal' } }}
              aria-label={t('register')}
              value={register}
              onChange={begin((value: string) => setRegister(value as Register))}
              data={[
                { value: 'civil', label: t('civil') },
                { value: 'organizations', label: t('organizations') },
              ]}
            />
            <Group align="flex-end">
              <FileInput
                label={t('file')}
                description={t('fileHint')}
                placeholder={t('choose')}
                accept=".csv,.jsonl"
                value={file}
                onChange={begin(setFile)}
                error={fault === null ? null : t(fault)}
              />
              <Button
                disabled={file === null || fault !== null}
                loading={compare.isPending}
                onClick={() => {
                  if (file !== null) compare.mutate(file);
                }}
              >
                {t('compare')}
              </Button>
            </Group>
          </Stack>
        </Section>
        {compare.error !== null && <ProblemAlert error={compare.error} />}
        {outcome?.kind === 'done' && <DryRun report={outcome.data} />}
      </Stack>
    </>
  );
}

function DryRun({ report }: { readonly report: Report }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { register, digest, added, changed, refusals } = report;
  const command = useCommand({
    run: (body: Commented) =>
      api.POST('/v3/admin/registers/{register}/files/{digest}/import', {
        params: { path: { register, digest } },
        body,
      }),
    touches: ['/v3/admin/users', '/v3/admin/organizations'],
  });
  const counts = ['lines', 'added', 'changed', 'unchanged', 'forgotten', 'refused'] as const;
  const facts: readonly Fact[] = [
    ...counts.map((name) => ({ label: t(name), value: number(report[name]) })),
    { label: 'SHA-256', value: digest, copy: digest },
  ];
  const columns: readonly Column<Report['refusals'][number]>[] = [
    { key: 'line', header: t('lines'), cell: ({ line }) => t('line', { line }) },
    { key: 'reason', header: t('reason'), cell: ({ reason }) => reason },
  ];
  return (
    <>
      <Section title={t('report')}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm" c="dimmed">
            {t('reportLead')}
          </Text>
          <FactList facts={facts} />
          {added + changed === 0 ? (
            <Alert color="gray">{t('nothing')}</Alert>
          ) : (
            <SensitiveButton
              reviewedAs="register.import"
              verb={t('import')}
              name={t(register)}
              lead={t('importLead', { added: number(added), changed: number(changed) })}
              command={command}
              done={t('imported')}
            />
          )}
        </Stack>
      </Section>
      {refusals.length > 0 && (
        <Section title={t('refusals')}>
          <Stack gap="sm">
            <Text size="sm">{t('refusalsLead')}</Text>
            <DataTable
              isWhole
              label={t('refusals')}
              columns={columns}
              source={whole(refusals)}
              rowKey={({ line, reason }) => `${line} ${reason}`}
            />
          </Stack>
        </Section>
      )}
    </>
  );
}

function faultOf({ name, size }: File): 'wrongEnding' | 'tooLarge' | null {
  if (formatOf(name) === undefined) return 'wrongEnding';
  return size > MAX_BYTES ? 'tooLarge' : null;
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return btoa(text);
}
