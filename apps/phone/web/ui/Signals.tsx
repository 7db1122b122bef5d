import { signalQuestion, signalWords } from '../../../../api/pages/signalWords.ts';
import { printable } from '../../interactions.ts';
import type { PhoneRequest } from '../../session.ts';
import { Fact } from './parts.tsx';
import { usePreferences } from './preferences.tsx';

/** Signals that a relying party asks for, and the citizen's consent to tell them: nothing is told unasked. */
export function Signals({
  request: { riskSignals: asked = null },
  tells,
  onTells,
}: {
  readonly request: Pick<PhoneRequest, 'riskSignals'>;
  readonly tells: boolean;
  readonly onTells: (tells: boolean) => void;
}) {
  const { language } = usePreferences();
  if (asked === null) return null;
  const question = signalQuestion[language];
  const words: Readonly<Record<string, string>> = signalWords[language];
  // A newer service may ask for others, which this version names as it does and never tells.
  const list = asked.names.map((name) => words[name] ?? printable(name)).join(', ');
  return (
    <dl className="facts" data-signals={asked.names.join(' ')}>
      <Fact icon="shield" label={question.title}>
        {asked.required ? (
          question.required(list)
        ) : (
          <label className="consent">
            <input
              type="checkbox"
              name="tells"
              checked={tells}
              onChange={({ currentTarget }) => onTells(currentTarget.checked)}
            />{' '}
            {question.wanted(list)}
          </label>
        )}
      </Fact>
    </dl>
  );
}
