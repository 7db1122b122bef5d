import { Button, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../shared/api/client.ts';
import { fieldErrors } from '../../shared/api/fieldErrors.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { EditButton, type EditForm } from '../../shared/ui/EditButton.tsx';
import { FormFoot } from '../../shared/ui/FormFoot.tsx';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { Can, Section, StatusBadge, useFormats } from '../../shared/ui/parts.tsx';
import { newRight, rightBody, RightFields } from './rights.tsx';
import type { Organization } from './Status.tsx';
import { texts } from './texts.ts';

type Representative = Organization['representatives'][number];
const touches = ['/v3/admin/organizations'];

interface Subject {
  readonly organization: Organization;
}

/** Current, past and invited representatives. */
export function Representatives({ organization, isPast }: Subject & { readonly isPast: boolean }) {
  const t = useTexts(texts);
  const { representatives } = organization;
  return (
    <Section
      title={t('representatives')}
      actions={
        !isPast && (
          <Can capability="org:write">
            <Add organization={organization} />
          </Can>
        )
      }
    >
      <DataTable
        label={t('representatives')}
        columns={useColumns(organization, isPast)}
        source={{
          data: { items: representatives, total: representatives.length },
          error: null,
          refetch: () => undefined,
        }}
        rowKey={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {t('representativesEmpty')}
          </Text>
        }
      />
    </Section>
  );
}

function useColumns(
  organization: Organization,
  isPast: boolean,
): readonly Column<Representative>[] {
  const t = useTexts(texts);
  const { date } = useFormats();
  return [
    {
      key: 'person',
      header: t('person'),
      cell: ({ name, personEtsi }) => (
        <Stack gap={0}>
          <span>{name ?? personEtsi}</span>
          {name !== null && (
            <Text size="xs" c="dimmed" component="span">
              {personEtsi}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'right',
      header: t('right'),
      cell: ({ rightType, role }) => (
        <span>
          <StatusBadge tone={rightType === 'ADMIN' ? 'info' : 'neutral'}>
            {t(rightType)}
          </StatusBadge>{' '}
          {role}
        </span>
      ),
    },
    { key: 'source', header: t('source'), cell: (row) => row.evidenceRef ?? t(row.source) },
    {
      key: 'validTo',
      header: t('validTo'),
      cell: ({ validTo }) => (validTo === null ? t('noEnd') : date(validTo)),
    },
    { key: 'status', header: t('status'), cell: (row) => <RightStatus representative={row} /> },
    {
      key: 'actions',
      isActions: true,
      header: t('actions'),
      align: 'end',
      cell: (row) =>
        !isPast &&
        row.status !== 'WITHDRAWN' && (
          <Can capability="org:write">
            <Withdraw organization={organization} representative={row} />
          </Can>
        ),
    },
  ];
}

function RightStatus({ representative }: { readonly representative: Representative }) {
  const t = useTexts(texts);
  const { status, inForce } = representative;
  if (status === 'PENDING') return <StatusBadge tone="waiting">{t('awaiting')}</StatusBadge>;
  if (status === 'WITHDRAWN') return <StatusBadge tone="neutral">{t('withdrawn')}</StatusBadge>;
  return (
    <StatusBadge tone={inForce ? 'good' : 'neutral'}>
      {t(inForce ? 'inForce' : 'notInForce')}
    </StatusBadge>
  );
}

function Withdraw({
  organization,
  representative,
}: Subject & { readonly representative: Representative }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const tell = useNotifyOutcome();
  const { id, name } = representative;
  const withdraw = useCommand({
    run: () =>
      api.DELETE('/v3/admin/organizations/{etsi}/representatives/{id}', {
        params: { path: { etsi: organization.orgEtsi, id } },
      }),
    touches,
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-haspopup="dialog"
        onClick={open}
        aria-label={t('withdrawOf', { name: name ?? id })}
      >
        {t('withdraw')}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('withdrawTitle')}
        action={t('withdraw')}
        name={name ?? id}
        onConfirm={async () => {
          tell(await withdraw.mutateAsync(), t('withdrawnDone'));
        }}
      >
        {t('withdrawLead')}
      </ConfirmByTyping>
    </>
  );
}

const initialValues = { ...newRight, rightType: 'MANAGER' as Representative['rightType'] };
type Values = typeof initialValues;

function Add({ organization }: Subject) {
  const t = useTexts(texts);
  const add = useCommand({
    run: ({ rightType, ...right }: Values) =>
      api.POST('/v3/admin/organizations/{etsi}/representatives', {
        params: { path: { etsi: organization.orgEtsi } },
        body: { ...rightBody(right), rightType },
      }),
    touches,
  });
  return (
    <EditButton
      verb={t('add')}
      title={t('addTitle')}
      command={add}
      done={t('added')}
      form={(dialog) => <AddForm {...dialog} />}
    />
  );
}

function AddForm({ onCancel, onSubmit }: EditForm<Values>) {
  const t = useTexts(texts);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({ initialValues });
  async function submit(values: Values) {
    setProblem(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setProblem(error);
      form.setErrors(fieldErrors(error, Object.keys(initialValues)));
    }
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <Select
          label={t('rightType')}
          allowDeselect={false}
          data={(['MANAGER', 'ADMIN'] as const).map((value) => ({
            value,
            label: t(`${value}Help`),
          }))}
          {...form.getInputProps('rightType')}
        />
        <RightFields form={form} isRequired />
        <FormFoot error={problem} onCancel={onCancel} loading={form.submitting}>
          {t('add')}
        </FormFoot>
      </Stack>
    </form>
  );
}
