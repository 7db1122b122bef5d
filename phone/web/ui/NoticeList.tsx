import { useState } from 'react';
import type { Notice } from '../../sessionCalls.ts';
import type { PhoneModel } from '../core/model.ts';
import { messageOf, Problem } from './parts.tsx';
import { useTexts } from './preferences.tsx';

/** News of other phones and of the owner's organizations; a new phone can be stopped with one tap. */
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
  const [stopping, setStopping] = useState(false);
  const { noticeId, device, right } = notice;
  const disown = () => {
    setStopping(true);
    model
      .disown(noticeId)
      .catch(setProblem)
      .finally(() => setStopping(false));
  };
  return (
    <section className="standing notActive" role="status" data-notice={noticeId}>
      <i aria-hidden="true" />
      <div>
        {device !== null && <p>{say('noticeDevice')}</p>}
        {right !== null && (
          <p>
            <b>{right.orgName}</b>: {right.personName ?? right.personEtsi} –{' '}
            {say(`notice_${right.change}`)}
          </p>
        )}
        {problem !== null && <Problem>{messageOf(problem, say)}</Problem>}
        {device !== null && (
          <button type="button" className="first" disabled={stopping} onClick={disown}>
            {say('noticeNotMe')}
          </button>
        )}
        <button type="button" className="second" onClick={() => model.closeNotice(noticeId)}>
          {say('close')}
        </button>
      </div>
    </section>
  );
}
