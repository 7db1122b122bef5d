import { useState } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { SecretOnce } from './SecretOnce.tsx';
import { type Commented, SensitiveButton } from './SensitiveButton.tsx';

/** Issues a new secret that replaces the current one, shown once. */
export function RotateSecret<Data>({
  id,
  name,
  command,
  secretOf,
  environment,
}: {
  /** Of the record, for the name of the file. */
  readonly id: string;
  readonly name: string;
  readonly command: { readonly mutateAsync: (body: Commented) => Promise<Outcome<Data>> };
  readonly secretOf: (issued: Data) => string | null;
  /** Environment variables of a program with this secret. */
  readonly environment: (secret: string) => Readonly<Record<string, string>>;
}) {
  const t = useTexts(sharedTexts);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <SensitiveButton
        verb={t('rotate')}
        name={name}
        lead={t('rotateLead')}
        command={command}
        done={t('rotated')}
        onDone={(issued) => setSecret(secretOf(issued))}
      />
      <SecretOnce
        secret={secret}
        variables={environment(secret ?? '')}
        fileName={`${id}.env`}
        onClose={() => setSecret(null)}
      />
    </>
  );
}
