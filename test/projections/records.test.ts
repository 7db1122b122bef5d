import { expect } from 'chai';
import { columnsBut, records } from '../../projections/engine/readModel.ts';
import { approvalsReadModel } from '../../projections/models/approvals.ts';

describe('A row as a record', () => {
  it('has the columns asked for, by the names of their fields', () => {
    const record = records(['civil_id', 'directory_sha256'])({
      civil_id: '1',
      directory_sha256: 'ab',
      secret_hash: 'cd',
    });
    expect(record).to.deep.equal({ civilId: '1', directorySha256: 'ab' });
  });

  it('has times as ISO 8601, whole numbers as numbers, and nothing where nothing is', () => {
    const toRecord = records(['ended_at', 'decided_at', 'attempts', 'reason']);
    const ended = { ended_at: new Date(0), attempts: 3n };
    const open: { decided_at: Date | null; reason: bigint | null } = {
      decided_at: null,
      reason: null,
    };
    expect(toRecord({ ...ended, ...open })).to.deep.equal({
      endedAt: '1970-01-01T00:00:00.000Z',
      decidedAt: null,
      attempts: 3,
      reason: null,
    });
  });

  it('has what a JSON column holds as it is', () => {
    const held = [{ not_a_field: new Date(0) }];
    expect(records(['held_names'])({ held_names: held }).heldNames).to.equal(held);
  });

  it('has the columns of a read model but those that are hidden', () => {
    const all = Object.keys(approvalsReadModel.columns);
    expect(columnsBut(approvalsReadModel, 'execution', 'revision')).to.deep.equal(
      all.filter((column) => column !== 'execution' && column !== 'revision'),
    );
  });
});
