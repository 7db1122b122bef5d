import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTexts } from '../../shared/texts.ts';
import { DateField } from '../../shared/ui/DateField.tsx';
import { texts } from './texts.ts';

/** Form values of a right; empty texts are omitted. */
export const newRight = {
  personEtsi: '',
  role: '',
  source: 'MANUAL' as 'MANUAL' | 'REGISTRY',
  evidenceRef: '',
  validTo: '',
};

type Right = typeof newRight;

/** Request body of a right. */
export function rightBody({ personEtsi, role, source, evidenceRef, validTo }: Right) {
  return {
    personEtsi: personEtsi.trim(),
    role: role.trim() === '' ? null : role.trim(),
    source,
    evidenceRef: evidenceRef.trim() === '' ? null : evidenceRef.trim(),
    // The right lasts through the selected day.
    validTo: validTo === '' ? null : new Date(`${validTo}T23:59:59`).toISOString(),
  };
}

/** Form fields of a right. @param within prefix of the field names: `firstAdmin.` or empty */
export function RightFields({
  form,
  within = '',
  isRequired,
}: {
  // Shared by forms of different values.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly form: Pick<UseFormReturnType<any>, 'getInputProps'>;
  readonly within?: string;
  readonly isRequired: boolean;
}) {
  const t = useTexts(texts);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label={t('personEtsi')}
        description={t('personEtsiHelp')}
        required={isRequired}
        autoComplete="off"
        {...form.getInputProps(`${within}personEtsi`)}
      />
      <TextInput
        label={t('role')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...form.getInputProps(`${within}role`)}
      />
      <Select
        label={t('source')}
        allowDeselect={false}
        data={(['MANUAL', 'REGISTRY'] as const).map((value) => ({ value, label: t(value) }))}
        {...form.getInputProps(`${within}source`)}
      />
      <TextInput label={t('evidenceRef')} {...form.getInputProps(`${within}evidenceRef`)} />
      <DateField
        label={t('validTo')}
        description={t('validToHelp')}
        {...form.getInputProps(`${within}validTo`)}
      />
    </SimpleGrid>
  );
}
