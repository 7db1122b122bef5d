import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, type SyntheticEvent, useRef, useState } from 'react';
import {
  enterOpenProfile,
  hasEnded,
  openAccountId,
  type Pending,
  returnAddress,
  type Visitor,
} from '../../app/visitor.ts';
import { answerOf, api } from '../../shared/api/client.ts';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useTexts } from '../../shared/texts.ts';
import { Copy } from '../../shared/ui/Copy.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { Frame } from './Frame.tsx';
import classes from './Frame.module.css';
import { texts } from './texts.ts';
import { useWait } from './useWait.ts';

/** Loaded at a first sign-in alone. */
const Qr = lazy(async () => ({ default: (await import('../../shared/ui/Qr.tsx')).Qr }));

/** Loaded for a restored installation alone. */
const RestoredNotice = lazy(() => import('./RestoredNotice.tsx'));

/** Authenticator secret of a first sign-in. */
interface Enrolment {
  readonly uri: string;
  readonly secret: string;
}

/** Continues to the requested page. */
const leave = () => location.assign(returnAddress());

/** Both steps of the sign-in; after the first, the page only knows that it was passed. */
export default function LoginPage({ visitor }: { readonly visitor: Visitor }) {
  const [step, setStep] = useState<'password' | 'code'>('password');
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const back = () => {
    setStep('password');
    setEnrolment(null);
  };
  return step === 'password' ? (
    <PasswordStep
      isOpen={visitor.account?.id === openAccountId}
      pending={visitor.pending}
      onDone={(next) => {
        setEnrolment(next);
        setStep('code');
      }}
    />
  ) : (
    <CodeStep enrolment={enrolment} onBack={back} />
  );
}

function PasswordStep({
  isOpen,
  pending,
  onDone,
}: {
  /** True for a development installation, which may be entered without signing in. */
  readonly isOpen: boolean;
  readonly pending: Pending;
  readonly onDone: (enrolment: Enrolment | null) => void;
}) {
  const t = useTexts(texts);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isUnderWay, setUnderWay] = useState(false);
  const wait = useWait(problem);

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    if (isUnderWay || wait > 0) return;
    setUnderWay(true);
    setProblem(null);
    try {
      const answer = await answerOf(
        api.POST('/v3/admin/auth/login', { body: { email, password } }),
      );
      const { otpauthUri: uri, secret } = answer;
      onDone(uri !== undefined && secret !== undefined ? { uri, secret } : null);
    } catch (error) {
      setProblem(asProblem(error));
      setUnderWay(false);
    }
  }

  return (
    <Frame title={t('title')} lead={t(hasEnded() ? 'ended' : 'lead')}>
      {pending !== null && (
        <Suspense>
          <RestoredNotice first={pending} />
        </Suspense>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('email')}
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <PasswordInput
            label={t('password')}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {problem !== null && <ProblemAlert error={problem} />}
          <Button type="submit" fullWidth loading={isUnderWay} disabled={wait > 0}>
            {wait > 0 ? t('wait', { count: wait }) : t('continue')}
          </Button>
        </Stack>
      </form>
      {isOpen && <OpenProfile />}
    </Frame>
  );
}

/** Entry to a development installation without sign-in. */
function OpenProfile() {
  const t = useTexts(texts);
  return (
    <Alert variant="light" color="yellow" title={t('openTitle')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('openLead')}</Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            enterOpenProfile();
            leave();
          }}
        >
          {t('openEnter')}
        </Button>
      </Stack>
    </Alert>
  );
}

const DIGITS = 6;

function CodeStep({
  enrolment,
  onBack,
}: {
  readonly enrolment: Enrolment | null;
  readonly onBack: () => void;
}) {
  const t = useTexts(texts);
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isUnderWay, setUnderWay] = useState(false);
  const wait = useWait(problem);

  async function submit(given: string) {
    if (isUnderWay || wait > 0) return;
    setUnderWay(true);
    setProblem(null);
    try {
      await answerOf(api.POST('/v3/admin/auth/mfa', { body: { code: given } }));
      leave();
    } catch (error) {
      setProblem(asProblem(error));
      setCode('');
      setUnderWay(false);
      field.current?.focus();
    }
  }

  function change(text: string) {
    const digits = text.replaceAll(/\D/g, '').slice(0, DIGITS);
    setCode(digits);
    if (digits.length === DIGITS) void submit(digits);
  }

  const isFirst = enrolment !== null;
  return (
    <Frame
      title={t(isFirst ? 'enrolTitle' : 'codeTitle')}
      lead={t(isFirst ? 'enrolLead' : 'codeLead')}
    >
      {isFirst && (
        <>
          <Suspense fallback={<div className={classes.qr} />}>
            <Qr text={enrolment.uri} label={t('enrolQr')} className={classes.qr} />
          </Suspense>
          <div>
            <Text size="xs" c="dimmed">
              {t('secret')}
            </Text>
            <Text ff="monospace" size="sm" className={classes.secret} data-testid="totp-secret">
              {enrolment.secret}
              <Copy value={enrolment.secret} about={t('secret')} />
            </Text>
          </div>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (code.length === DIGITS) void submit(code);
        }}
      >
        <Stack gap="md">
          <TextInput
            ref={field}
            label={t('code')}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            size="lg"
            classNames={{ input: classes.code ?? '' }}
            value={code}
            readOnly={isUnderWay}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
          {problem !== null && <ProblemAlert error={problem} />}
          <Button
            type="submit"
            fullWidth
            loading={isUnderWay}
            disabled={code.length < DIGITS || wait > 0}
          >
            {wait > 0 ? t('wait', { count: wait }) : t('continue')}
          </Button>
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            {t('otherAccount')}
          </Anchor>
        </Stack>
      </form>
    </Frame>
  );
}
