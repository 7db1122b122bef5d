import { expect } from 'chai';
import type { OrganizationEvent } from '../../domain/organization/events.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { foldBatch } from '../../projections/engine/readModel.ts';
import { upsertRows } from '../../projections/engine/rows.ts';
import { organizationsReadModel } from '../../projections/models/organizations.ts';
import { createNamesInUse } from '../../projections/namesInUse.ts';
import { testVault } from '../support/doubles/vault.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { sampleMetadata } from '../support/events/sampleEvents.ts';

const own = { holder: 'platform', name: 'Platform' };
const at = '2026-01-01T00:00:00.000Z';

describe('N7: names in use', function () {
  this.timeout(60_000);
  let side: ReadSide;

  before(async () => {
    side = await openReadSide();
  });

  after(() => side.close());

  async function project(register: string, ...events: readonly OrganizationEvent[]) {
    const recorded = events.map((event, index): RecordedEvent => ({
      event,
      id: `${register}-${index}`,
      metadata: sampleMetadata,
      stream: `organization-${register}`,
      revision: BigInt(index),
      position: BigInt(index + 1),
    }));
    const none = () => Promise.resolve(new Map());
    const changes = await foldBatch(organizationsReadModel, recorded, none, testVault());
    const rows = [...changes.values()].map(({ after }) => after);
    await upsertRows(side.database, organizationsReadModel, 'organization_view', rows);
  }

  const registered = (
    register: string,
    name: string,
    nameLatin: string | null = null,
  ): OrganizationEvent => ({
    type: 'OrganizationRegistered',
    data: { register, name, nameLatin, status: 'ACTIVE', registeredAt: at },
  });

  it('are found, of organizations, under all spellings that look the same, until another name or the end', async () => {
    const { usersOf } = createNamesInUse(side.database, own);
    await project('1', registered('1', 'POCA', 'ROSA'));
    await project('2', registered('2', 'Хаан Банк'), {
      type: 'OrganizationNameChanged',
      data: { register: '2', name: '«Хаан» Банк', changedAt: at },
    });
    await project('3', registered('3', 'Гурав ХХК'), {
      type: 'OrganizationRevoked',
      data: { register: '3', revokedAt: at },
    });
    await project('4', registered('4', 'Дөрөв'), {
      type: 'OrganizationRenamed',
      data: {
        register: '4',
        nameLatin: 'FOUR',
        confirmedBy: null,
        confirmedIn: null,
        renamedAt: at,
      },
    });
    for (const [name, users] of [
      ['РОСА', ['1']],
      ['ＰＯＣＡ', ['1']],
      ['poca.', ['1']],
      ['rosa', ['1']],
      ['«ХААН»\u00a0банк', ['2']],
      ['Хаан Банк', []],
      ['Гурав ХХК', []],
      ['Four', ['4']],
    ] as const) {
      expect(await usersOf('ORGANIZATION', name), name).to.deep.equal(users);
    }
  });

  it('are, of relying parties, the one the platform itself asks under', async () => {
    const { usersOf } = createNamesInUse(side.database, { holder: 'platform', name: 'Tamga' });
    expect(await usersOf('RELYING_PARTY', 'TAMGA.')).to.deep.equal(['platform']);
    expect(await usersOf('RELYING_PARTY', 'Tamga 2')).to.deep.equal([]);
    expect(await usersOf('ORGANIZATION', 'Tamga')).to.deep.equal([]);
  });
});
