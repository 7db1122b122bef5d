import { useState } from 'react';
import type { Outcome } from '../api/useCommand.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import type { ReviewedCommand } from './FourEyes.tsx';
import { type Commented, SensitiveButton } from './SensitiveButton.tsx';
import { type HandOver, LinkOnce, SecretOnce } from './ShownOnce.tsx';

interface Command<Data> {
  readonly mutateAsync: (body: Commented) => Promise<Outcome<Data>>;
}

/** Issues a new secret that replaces the current one: shown once, or handed over by a link. */
export function RotateSecret<Data>({
  id,
  name,
  command,
  handOver,
  secretOf,
  environment,
  reviewedAs,
}: {
  /** Of the record, for the name of the file. */
  readonly id: string;
  readonly name: string;
  readonly command: Command<Data>;
  readonly handOver: Command<HandOver>;
  readonly secretOf: (issued: Data) => string | null;
  /** Environment variables of a program with this secret. */
  readonly environment: (secret: string) => Readonly<Record<string, string>>;
  readonly reviewedAs: ReviewedCommand;
}) {
  const t = useTexts(sharedTexts);
  const [secret, setSecret] = useState<string | null>(null);
  const [link, setLink] = useState<HandOver | null>(null);
  return (
    <>
      <SensitiveButton
        verb={t('handOver')}
        name={name}
        lead={t('handOverLead')}
        command={handOver}
        done={t('handedOver')}
        reviewedAs={reviewedAs}
        onDone={setLink}
      />
      <SensitiveButton
        verb={t('rotate')}
        name={name}
        lead={t('rotateLead')}
        command={command}
        done={t('rotated')}
        reviewedAs={reviewedAs}
        onDone={(issued) => setSecret(secretOf(issued))}
      />
      <SecretOnce
        secret={secret}
        variables={environment(secret ?? '')}
        fileName={`${id}.env`}
        onClose={() => setSecret(null)}
      />
      <LinkOnce link={link} onClose={() => setLink(null)} />
    </>
  );
}
