import { printable } from '../../interactions.ts';
import type { BatchDocument } from '../../session.ts';
import { useTexts } from './preferences.tsx';

/** Documents of a batch, all of them: one PIN signs each. @param inWords names the warnings of a document */
export function Documents({
  documents,
  inWords,
}: {
  readonly documents: readonly BatchDocument[];
  readonly inWords: (warnings: readonly string[]) => string;
}) {
  const say = useTexts();
  return (
    <ol className="documents">
      {documents.map(({ digest, displayText60, fileName, documentWarnings }) => (
        <li key={digest}>
          <bdi>{printable(displayText60)}</bdi>
          {fileName !== null && (
            <>
              {' '}
              <small>
                <bdi>{printable(fileName)}</bdi>
              </small>
            </>
          )}
          {documentWarnings.length > 0 && (
            <>
              {' '}
              <span className="bad" data-warnings={documentWarnings.join(' ')}>
                {say('warningsText', { list: inWords(documentWarnings) })}
              </span>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
