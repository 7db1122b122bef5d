import { referenceDataTopic } from '../../domain/shared/streams.ts';
import {
  type OrganizationEvent,
  organizationEvents,
  type OrganizationStatus,
} from '../../domain/organization/events.ts';
import { namesOf, organizationSettings } from '../../domain/organization/settings.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { foldedName } from '../../domain/shared/foldedName.ts';
import {
  int8,
  jsonb,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';
import { gramsOf, searchText } from '../engine/search.ts';
import {
  settingColumnNames,
  settingColumns,
  settingRow,
  settingsOfRow,
} from '../engine/settingColumns.ts';

const columns = {
  register: text(),
  ...settingColumns(organizationSettings),
  status: text<OrganizationStatus>(),
  /** Status to return to after a suspension; null unless SUSPENDED. */
  status_before: nullable(text<OrganizationStatus>()),
  registered_at: timestamptz(),
  search: text(),
  grams: jsonb<readonly string[]>(),
  /** Equal for names that look the same. */
  folded_names: jsonb<readonly string[]>(),
  revision: int8(),
};

export type OrganizationRow = RowOf<typeof columns>;
export type OrganizationTable = TableOf<typeof columns>;

function evolve(
  row: OrganizationRow | undefined,
  event: OrganizationEvent,
): OrganizationRow | undefined {
  if (event.type === 'OrganizationRegistered') {
    const { register, status, registeredAt } = event.data;
    return findable({
      register,
      ...settingRow(organizationSettings, event.data),
      status,
      status_before: null,
      registered_at: registeredAt,
      search: '',
      grams: [],
      folded_names: [],
      revision: 0n,
    });
  }
  return row === undefined ? undefined : change(row, event);
}

function findable(row: OrganizationRow): OrganizationRow {
  const names = namesOf(settingsOfRow(organizationSettings, row));
  const search = searchText([row.register, ...names]);
  return { ...row, search, grams: gramsOf(search), folded_names: names.map(foldedName) };
}

function change(
  row: OrganizationRow,
  event: Exclude<OrganizationEvent, { type: 'OrganizationRegistered' }>,
): OrganizationRow {
  switch (event.type) {
    case 'OrganizationVerified':
      return { ...row, status: 'VERIFIED' };
    case 'OrganizationActivated':
      return { ...row, status: 'ACTIVE' };
    case 'OrganizationSuspended':
      return { ...row, status: 'SUSPENDED', status_before: row.status };
    case 'OrganizationRestored':
      return { ...row, status: row.status_before ?? row.status, status_before: null };
    case 'OrganizationRevoked':
      return { ...row, status: 'REVOKED', status_before: null };
    case 'OrganizationNameChanged':
      return findable({ ...row, name: event.data.name });
    case 'OrganizationRenamed':
      return findable({ ...row, name_latin: event.data.nameLatin });
    default:
      return unreachable(event);
  }
}

/** The organizations read model, table `organization_view`. */
export const organizationsReadModel = readModel({
  name: 'organizations',
  table: 'organization_view',
  events: organizationEvents,
  key: 'register',
  columns,
  shown: [...settingColumnNames(organizationSettings), 'status'],
  evolve,
  topics: (row) => [referenceDataTopic('organization', row.register)],
});
