import type { AnswerOf } from '../../shared/api/useRead.ts';
import { Subject, RecordLink } from '../../shared/records/subjects.tsx';
import { useSpan } from '../../shared/records/Timeline.tsx';
import { levelWords, sessionFlowWords, useWords } from '../../shared/records/words.ts';
import { ShortId } from '../../shared/names.tsx';
import { useTexts } from '../../shared/texts.ts';
import { type Fact, Timestamp } from '../../shared/ui/parts.tsx';
import { interactionWords, texts } from './texts.ts';

export type Session = AnswerOf<'/v3/admin/sessions/{sessionId}'>;

/** Relying party, citizen and purpose of the request. */
export function useRequest(session: Session): readonly Fact[] {
  const t = useTexts(texts);
  const flow = useWords(sessionFlowWords);
  const level = useWords(levelWords);
  const { sessionId, digest, onBehalfOf } = session;
  const organization = onBehalfOf !== null && (
    <RecordLink
      to={`/organizations/${onBehalfOf.orgEtsi}`}
      capability="org:read"
      id={onBehalfOf.orgEtsi}
    >
      {`${onBehalfOf.orgName} · ${onBehalfOf.rightType}`}
    </RecordLink>
  );
  return [
    { label: t('id'), value: <ShortId id={sessionId} />, copy: sessionId },
    {
      label: t('askedBy'),
      value: (
        <RecordLink
          to={`/relying-parties/${session.relyingPartyUUID}`}
          capability="rp:read"
          id={session.relyingPartyUUID}
        >
          {askedBy(session)}
        </RecordLink>
      ),
    },
    ...optional(t('subsystem'), session.subsystem),
    { label: t('flow'), value: flow(session.flow) },
    ...usePerson(session),
    ...(organization === false ? [] : [{ label: t('onBehalfOf'), value: organization }]),
    { label: t('level'), value: level(session.certificateLevel) },
    ...optional(t('callbackHost'), session.callbackHost),
    ...optional(t('fileName'), session.fileName),
    ...optional(t('hashType'), session.hashType),
    ...(digest === null ? [] : [{ label: t('digest'), value: digest, copy: digest }]),
    ...session.documents.flatMap((document, index) => [
      {
        label: `${t('document')} ${index + 1}`,
        value: [document.text, document.fileName ?? ''].join(' ').trim(),
      },
      {
        label: `${t('digest')} ${index + 1}`,
        value: `${document.hashType} ${document.digest}`,
        copy: document.digest,
      },
    ]),
  ];
}

/** Both names of a relying party that sent another than its own, the registered first. */
export function askedBy({
  relyingPartyName,
  registeredName,
}: Pick<Session, 'relyingPartyName' | 'registeredName'>): string {
  return registeredName === null ? relyingPartyName : `${registeredName} («${relyingPartyName}»)`;
}

function usePerson({ personEtsi, documentNumber }: Session): readonly Fact[] {
  const t = useTexts(texts);
  const person = personEtsi !== null && <Subject id={personEtsi} />;
  const device = documentNumber !== null && <Subject id={documentNumber} />;
  return [
    {
      label: t('person'),
      value: person === false ? t('nobodyYet') : person,
      copy: personEtsi,
    },
    ...(device === false ? [] : [{ label: t('device'), value: device, copy: documentNumber }]),
  ];
}

/** Answer of the phone; empty until it answers. */
export function useAnswer({
  signature,
  cert,
  refusedInteraction,
  documents,
}: Session): readonly Fact[] {
  const t = useTexts(texts);
  const level = useWords(levelWords);
  const interaction = useWords(interactionWords);
  return [
    ...optional(t('refusedInteraction'), refusedInteraction && interaction(refusedInteraction)),
    ...(cert === null
      ? []
      : [
          {
            label: t('certificate'),
            value: (
              <RecordLink
                to={`/certificates/${cert.serial}`}
                capability="cert:read"
                id={cert.serial}
              >
                {level(cert.certificateLevel)}
              </RecordLink>
            ),
            copy: cert.serial,
          },
        ]),
    ...(signature === null
      ? []
      : [
          { label: t('algorithm'), value: signature.signatureAlgorithm },
          { label: t('signature'), value: signature.value, copy: signature.value },
        ]),
    ...documents.flatMap(({ signature: each }, index) =>
      each === null
        ? []
        : [{ label: `${t('signature')} ${index + 1}`, value: each.value, copy: each.value }],
    ),
  ];
}

export function useTimes(session: Session): readonly Fact[] {
  const t = useTexts(texts);
  const span = useSpan();
  const { startedAt, completedAt } = session;
  const took = completedAt === null ? null : Date.parse(completedAt) - Date.parse(startedAt);
  return [
    { label: t('startedAt'), value: <Timestamp value={startedAt} /> },
    { label: t('completedAt'), value: <Timestamp value={completedAt} /> },
    { label: t('took'), value: took === null ? null : span(took) },
    { label: t('answerBefore'), value: <Timestamp value={session.answerBefore} /> },
    { label: t('readableUntil'), value: <Timestamp value={session.readableUntil} /> },
  ];
}

const optional = (label: string, value: string | null): readonly Fact[] =>
  value === null ? [] : [{ label, value }];
