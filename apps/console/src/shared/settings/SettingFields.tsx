import { NumberInput, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Fragment, type ReactNode } from 'react';
import { type Texts, useTexts } from '../texts.ts';
import type { NamesOf, Setting, Settings } from './settings.ts';

/** Texts of an area with the label of each setting; `<setting>Help` says more, where it is there. */
type Labels<Of extends Settings> = Texts<keyof Of & string>;

/**
 * Fields of a form, one for each setting, in the order of their declaration: those of half the width stand side by side.
 */
export function SettingFields<Of extends Settings>({
  settings,
  texts,
  form,
  others,
}: {
  readonly settings: Of;
  readonly texts: Labels<Of>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a form of any fields
  readonly form: UseFormReturnType<any>;
  /** Fields the area makes itself: of those of kind `other`, and of those it words otherwise. */
  readonly others: Readonly<Record<NamesOf<Of, 'other'>, ReactNode>> &
    Readonly<Partial<Record<keyof Of & string, ReactNode>>>;
}) {
  const made: Readonly<Partial<Record<string, ReactNode>>> = others;
  return rowsOf(settings).map((row) => {
    const fields = row.map(([name, setting]) => (
      <Fragment key={name}>
        {name in made ? (
          made[name]
        ) : (
          <SettingField name={name} setting={setting} texts={texts} form={form} />
        )}
      </Fragment>
    ));
    return row.length === 1 ? (
      fields
    ) : (
      <SimpleGrid key={row[0]?.[0]} cols={{ base: 1, sm: 2 }}>
        {fields}
      </SimpleGrid>
    );
  });
}

type Named = readonly [name: string, setting: Setting];

/** Settings by line of the form. */
function rowsOf(settings: Settings): readonly (readonly Named[])[] {
  const rows: Named[][] = [];
  for (const named of Object.entries(settings)) {
    const last = rows.at(-1);
    if (named[1].isHalf && last?.[0]?.[1].isHalf === true) last.push(named);
    else rows.push([named]);
  }
  return rows;
}

function SettingField({
  name,
  setting: { kind, isRequired },
  texts,
  form,
}: {
  readonly name: string;
  readonly setting: Setting;
  readonly texts: Texts<string>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a form of any fields
  readonly form: UseFormReturnType<any>;
}) {
  const t = useTexts(texts);
  const help = `${name}Help`;
  const about = {
    label: t(name),
    ...(help in texts.keys && { description: t(help) }),
    required: isRequired,
  };
  const input = form.getInputProps(name, { type: kind === 'flag' ? 'checkbox' : 'input' });
  switch (kind) {
    case 'list':
      return <Textarea {...about} autosize minRows={2} maxRows={8} spellCheck={false} {...input} />;
    case 'limit':
      return (
        <NumberInput
          {...about}
          min={1}
          max={1_000_000_000}
          allowDecimal={false}
          hideControls
          {...input}
        />
      );
    case 'flag':
      return <Switch {...about} {...input} />;
    default:
      return <TextInput {...about} autoComplete="off" {...input} />;
  }
}
