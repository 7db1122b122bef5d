import type { Capability, OperatorRole } from '../../../domain/operator/capabilities.ts';
import { defineTexts, type Texts } from '../texts.ts';

/** Names of operators' roles. */
export const roleWords: Texts<OperatorRole> = defineTexts({
  mn: {
    SUPER_ADMIN: 'Ерөнхий администратор',
    RP_OPERATOR: 'Итгэгч талын бүртгэгч',
    SUPPORT: 'Иргэдэд туслагч',
    AUDITOR: 'Аудитор',
    SECURITY_OFFICER: 'Аюулгүй байдлын ажилтан',
  },
  en: {
    SUPER_ADMIN: 'Super administrator',
    RP_OPERATOR: 'Registrar of relying parties',
    SUPPORT: 'Citizen support',
    AUDITOR: 'Auditor',
    SECURITY_OFFICER: 'Security officer',
  },
});

/** Names of capabilities: the acts an operator may do. */
export const capabilityWords: Texts<Capability> = defineTexts({
  mn: {
    'rp:read': 'Итгэгч талыг харах',
    'rp:write': 'Итгэгч талыг бүртгэх, засах',
    'org:read': 'Байгууллагыг харах',
    'org:write': 'Байгууллагыг бүртгэх, засах',
    'user:read': 'Иргэнийг харах',
    'device:read': 'Утсыг харах',
    'device:revoke': 'Утсыг идэвхгүй болгох',
    'cert:read': 'Гэрчилгээг харах',
    'cert:revoke': 'Гэрчилгээг хүчингүй болгох',
    'session:read': 'Сессийг харах',
    'audit:read': 'Аудитыг харах',
    'admin:manage': 'Операторуудыг удирдах',
    'config:read': 'Системийн төлөвийг харах',
    'config:write': 'Системийн тохиргоог өөрчлөх',
  },
  en: {
    'rp:read': 'See relying parties',
    'rp:write': 'Register and edit relying parties',
    'org:read': 'See organizations',
    'org:write': 'Register and edit organizations',
    'user:read': 'See citizens',
    'device:read': 'See phones',
    'device:revoke': 'Deactivate phones',
    'cert:read': 'See certificates',
    'cert:revoke': 'Revoke certificates',
    'session:read': 'See sessions',
    'audit:read': 'See the audit',
    'admin:manage': 'Manage operators',
    'config:read': 'See the state of the system',
    'config:write': 'Change the system',
  },
});
