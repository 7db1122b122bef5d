/** Capabilities of operators (specification, Operator records). */
export const capabilities = [
  'rp:read',
  'rp:write',
  'org:read',
  'org:write',
  'user:read',
  'device:read',
  'device:revoke',
  'cert:read',
  'cert:revoke',
  'session:read',
  'audit:read',
  'admin:manage',
  'config:read',
  'config:write',
] as const;

export type Capability = (typeof capabilities)[number];

export const operatorRoles = [
  'SUPER_ADMIN',
  'RP_OPERATOR',
  'SUPPORT',
  'AUDITOR',
  'SECURITY_OFFICER',
] as const;

export type OperatorRole = (typeof operatorRoles)[number];

/** Role to capability matrix (specification, Operator records). */
const capabilitiesOf: Readonly<Record<OperatorRole, readonly Capability[]>> = {
  SUPER_ADMIN: capabilities,
  RP_OPERATOR: [
    'rp:read',
    'rp:write',
    'org:read',
    'org:write',
    'user:read',
    'session:read',
    'audit:read',
  ],
  SUPPORT: [
    'rp:read',
    'org:read',
    'user:read',
    'device:read',
    'device:revoke',
    'cert:read',
    'session:read',
    'audit:read',
  ],
  AUDITOR: [
    'rp:read',
    'org:read',
    'user:read',
    'device:read',
    'cert:read',
    'session:read',
    'audit:read',
    'config:read',
  ],
  SECURITY_OFFICER: [
    'org:read',
    'user:read',
    'device:read',
    'device:revoke',
    'cert:read',
    'cert:revoke',
    'session:read',
    'audit:read',
    'config:read',
  ],
};

export function hasCapability(role: OperatorRole, capability: Capability): boolean {
  return capabilitiesOf[role].includes(capability);
}
