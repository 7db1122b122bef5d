import { accountArea } from '../areas/account/area.ts';
import { adminsArea } from '../areas/admins/area.ts';
import { approvalsArea } from '../areas/approvals/area.ts';
import { assistantArea } from '../areas/assistant/area.ts';
import { auditArea } from '../areas/audit/area.ts';
import { certificatesArea } from '../areas/certificates/area.ts';
import { citizensArea } from '../areas/citizens/area.ts';
import { devicesArea } from '../areas/devices/area.ts';
import { documentsArea } from '../areas/documents/area.ts';
import { homeArea } from '../areas/home/area.ts';
import { identityVerificationsArea } from '../areas/identityVerifications/area.ts';
import { oidcClientsArea } from '../areas/oidcClients/area.ts';
import { organizationsArea } from '../areas/organizations/area.ts';
import { registersArea } from '../areas/registers/area.ts';
import { relyingPartiesArea } from '../areas/relyingParties/area.ts';
import { sessionsArea } from '../areas/sessions/area.ts';
import { statisticsArea } from '../areas/statistics/area.ts';
import { systemArea } from '../areas/system/area.ts';
import type { Area } from '../shared/area.ts';

/** Areas of the console, in the order of their navigation entries. */
export const areas: readonly Area[] = [
  homeArea,
  statisticsArea,
  citizensArea,
  devicesArea,
  certificatesArea,
  sessionsArea,
  identityVerificationsArea,
  relyingPartiesArea,
  oidcClientsArea,
  organizationsArea,
  documentsArea,
  approvalsArea,
  auditArea,
  assistantArea,
  registersArea,
  systemArea,
  adminsArea,
  accountArea,
];
