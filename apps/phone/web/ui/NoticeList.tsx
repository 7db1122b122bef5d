import { useState } from 'react';
import type { Notice } from '../../sessionCalls.ts';
import type { PhoneModel } from '../core/model.ts';
import { PinError } from '../../pinKeys.ts';
import { pinLength } from '../core/pinRules.ts';
import { nameOfPlatform, pinMessageOf, Problem } from './parts.tsx';
import { PinPad } from './PinPad.tsx';
import { useDates, useTexts } from './preferences.tsx';

/** News of other phones and of the owner's organizations; a new phone can be stopped with PIN1. */
export function NoticeList({
  model,
  notices,
}: {
  readonly model: PhoneModel;
  readonly notices: readonly Notice[];
}) {
  return notices.map((notice) => <Item key={notice.noticeId} model={model} notice={notice} />);
}

function Item({ model, notice }: { readonly model: PhoneModel; readonly notice: Notice }) {
  const say = useTexts();
  const [problem, setProblem] = useState<unknown>(null);
  const [step, setStep] = useState<'read' | 'pin' | 'stopping'>('read');
  const { noticeId, device } = notice;
  const disown = (pin: string) => {
    setStep('stopping');
    setProblem(null);
    model.disown(notice, pin).catch((error: unknown) => {
      setProblem(error);
      setStep(error instanceof PinError && error.attemptsLeft > 0 ? 'pin' : 'read');
    });
  };
  return (
    <section className="standing notActive" role="status" data-notice={noticeId}>
      <i aria-hidden="true" />
      <div>
        <News notice={notice} />
        {problem !== null && <Problem>{pinMessageOf(problem, 'PIN1', say)}</Problem>}
        {device?.mayEnd === true && step === 'read' && (
          <button type="button" className="first" onClick={() => setStep('pin')}>
            {say('noticeNotMe')}
          </button>
        )}
        {step !== 'read' && (
          <>
            <p role="status">{say(step === 'stopping' ? 'working' : 'noticePin')}</p>
            <PinPad length={pinLength.PIN1} disabled={step === 'stopping'} onPin={disown} />
          </>
        )}
        <button type="button" className="second" onClick={() => model.closeNotice(noticeId)}>
          {say('close')}
        </button>
      </div>
    </section>
  );
}

/** Text of a notice. */
function News({ notice: { device, right, organization = null } }: { readonly notice: Notice }) {
  const say = useTexts();
  const { minute } = useDates();
  return (
    <>
      {device !== null && (
        <p>
          {say(device.mayEnd ? 'noticeDevice' : 'noticeOtherDevice', {
            platform: nameOfPlatform(device.platform, say),
            at: minute(device.enrolledAt),
          })}{' '}
          {!device.mayEnd && (
            <a href={`/me/phones/${device.documentNumber}`} target="_blank" rel="noreferrer">
              {say('noticeEndThere')}
            </a>
          )}
        </p>
      )}
      {right !== null && (
        <p>
          <b>{right.orgName}</b>: {right.personName ?? right.personEtsi} –{' '}
          {say(`notice_${right.change}`)}
        </p>
      )}
      {organization !== null && (
        <p>
          <b>{organization.orgName}</b>
          {organization.orgNameEn !== null && ` (${organization.orgNameEn})`} –{' '}
          {say(`notice_${organization.change}`)}
        </p>
      )}
    </>
  );
}
