import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { type RelyingPartyEvent, relyingPartyEvents } from '../../domain/relyingParty/events.ts';
import {
  relyingPartySettings,
  type RelyingPartySettings,
} from '../../domain/relyingParty/settings.ts';
import { evolveSealsFor } from '../../domain/relyingParty/relyingParty.ts';
import { evolveSubsystems, type Subsystem } from '../../domain/relyingParty/subsystems.ts';
import {
  boolean,
  int8,
  jsonb,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';
import { settingColumnNames, settingColumns, settingRow } from '../engine/settingColumns.ts';
import { gramsOf, searchText } from '../engine/search.ts';

const columns = {
  relying_party_id: text(),
  ...settingColumns(relyingPartySettings),
  secret_hash: text(),
  active: boolean(),
  /** In the order in which they were first seen. */
  subsystems: jsonb<readonly Subsystem[]>(),
  /** Registers of the organizations it may seal for. */
  seals_for: jsonb<readonly string[]>(),
  /** Names beside the registered one, and whether any other is admitted. */
  aliases: jsonb<readonly string[]>(),
  other_names: boolean(),
  registered_at: timestamptz(),
  /** See search.ts, as in all searched tables. */
  search: text(),
  grams: jsonb<readonly string[]>(),
  revision: int8(),
};

export type RelyingPartyRow = RowOf<typeof columns>;
export type RelyingPartyTable = TableOf<typeof columns>;

function evolve(
  row: RelyingPartyRow | undefined,
  event: RelyingPartyEvent,
): RelyingPartyRow | undefined {
  if (event.type === 'RelyingPartyRegistered') {
    const { relyingPartyId, secretHash, registeredAt, otherNames } = event.data;
    return {
      ...shownSettings(relyingPartyId, event.data),
      relying_party_id: relyingPartyId,
      secret_hash: secretHash,
      registered_at: registeredAt,
      active: true,
      subsystems: [],
      seals_for: [],
      aliases: [],
      other_names: otherNames,
      revision: 0n,
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'SecretRotated':
      return { ...row, secret_hash: event.data.secretHash };
    case 'RelyingPartyDeactivated':
      return { ...row, active: false };
    case 'RelyingPartyReactivated':
      return { ...row, active: true };
    case 'RelyingPartyEdited':
      return { ...row, ...shownSettings(row.relying_party_id, event.data) };
    case 'RelyingPartyNamesSet':
      return { ...row, aliases: event.data.aliases, other_names: event.data.otherNames };
    case 'SecretOffered':
      return row;
    case 'SealingAllowed':
    case 'SealingWithdrawn':
      return { ...row, seals_for: evolveSealsFor(row.seals_for, event) };
    default:
      return { ...row, subsystems: evolveSubsystems(row.subsystems, event) };
  }
}

function shownSettings(relyingPartyId: string, settings: RelyingPartySettings) {
  const search = searchText([settings.name, relyingPartyId]);
  return { ...settingRow(relyingPartySettings, settings), search, grams: gramsOf(search) };
}

/** The relying parties read model, table `relying_party_view`. */
export const relyingPartiesReadModel = readModel({
  name: 'relyingParties',
  table: 'relying_party_view',
  version: 4,
  events: relyingPartyEvents,
  key: 'relying_party_id',
  columns,
  shown: [
    ...settingColumnNames(relyingPartySettings),
    'active',
    'subsystems',
    'seals_for',
    'aliases',
    'other_names',
  ],
  evolve,
  topics: (row) => [referenceDataTopic('rp', row.relying_party_id)],
});
