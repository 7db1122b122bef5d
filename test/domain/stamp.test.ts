import type { StampEvent } from '../../domain/stamp/events.ts';
import { stampDecider } from '../../domain/stamp/stamp.ts';
import { given } from '../support/assertions/deciderSpecification.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';

describe('The stamp of a session', () => {
  const stamp = given(stampDecider);
  const first = sampleEvents.DocumentStamped satisfies StampEvent;

  it('is recorded the first time a document is stamped', () => {
    stamp([]).when({ type: 'RecordStamped', stamped: first.data }).then([first]);
  });

  it('keeps the first timestamp when the document is stamped again', () => {
    const again = { ...first.data, timestampToken: 'MIIBBgYJKoZIhvcNAQcC' };
    stamp([first]).when({ type: 'RecordStamped', stamped: again }).then([]);
  });
});
