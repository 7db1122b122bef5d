/** Consent to a route, and the facts it leaves in the log. */
export interface RouteConsent {
  /** Subject named in path, query or body, beside the caller and things of the caller's own. */
  readonly names: 'nobody' | 'a person' | 'an organization' | 'a relying party' | 'an operator';
  /** Person who consents to what is done or shown, or the reason why nobody must. */
  readonly consent: string;
  /** Event types, one of which each success leaves; empty: nothing is changed or shown of whom it names. */
  readonly facts: readonly string[];
}

const of = (
  names: RouteConsent['names'],
  consent: string,
  facts: readonly string[],
  routes: readonly string[],
) => routes.map((route) => [route, { names, consent, facts }] as const);

const session = ['SessionStarted'];
const operatorReads = 'the role of the operator; each reading is on record';
const fourEyes = 'a second operator, where four eyes are required';
const roleAlone = 'the role of the operator';
const approval = 'ApprovalRequested';

/** Every route, by its name; versions of one path share a row. */
export const routeConsents: ReadonlyMap<string, RouteConsent> = new Map([
  ...of('a person', 'the person answers on the phone', session, [
    ...['authenticationDeviceLinkEtsi', 'authenticationDeviceLinkDocument'],
    ...['authenticationNotificationEtsi', 'authenticationNotificationDocument'],
    ...['signatureNotificationDocument', 'signatureNotificationEtsi'],
    ...['signatureDeviceLinkDocument', 'signatureDeviceLinkEtsi', 'signatureNotificationLinked'],
    ...['certificateChoiceDeviceLinkEtsi', 'certificateChoiceNotificationEtsi'],
  ]),
  ...of(
    'a person',
    'the person answers on the phone',
    ['SessionStarted'],
    [...['documents.sign.eid.start', 'login.start']],
  ),
  ...of('nobody', 'who opens the link answers on the phone', session, [
    ...['authenticationDeviceLinkAnonymous', 'certificateChoiceDeviceLinkAnonymous'],
  ]),
  ...of(
    'a person',
    'nobody: what a signature is prepared with; on record',
    ['OperatorRead'],
    [...['signatureCertificate', 'signaturePrepare']],
  ),
  ...of(
    'a person',
    'nobody: PKI_READ, given by operators; on record',
    ['OperatorRead'],
    [...['personSummary', 'personCertificates', 'personDevices', 'personActivity']],
  ),
  ...of(
    'a person',
    'nobody: representation is for every relying party to check; on record',
    ['RightsLookedUp'],
    ['organizationRepresentations'],
  ),
  ...of(
    'a person',
    'a person of the organization signed in there; on record',
    ['OperatorRead'],
    [...['directory_person', 'directory_organisation', 'directory_people']],
  ),

  ...of(
    'an organization',
    'an ADMIN in place by push; of the first the registry',
    [...['RightGranted', 'RightRequested', 'RightsLookedUp']],
    ['organizationLink'],
  ),
  ...of(
    'an organization',
    'nobody: only what the relying party linked',
    [...['RightWithdrawn', 'RightsLookedUp']],
    ['organizationUnlink'],
  ),
  ...of(
    'an organization',
    'a right in force of the relying party, or its list to seal',
    ['SignersLookedUp'],
    ['organizationSigners'],
  ),
  ...of(
    'an organization',
    'an ADMIN and the person, each by push',
    [...['SignerInvited', 'SignersLookedUp']],
    ['organizationSignerAdd', 'organizationSignerResend'],
  ),
  ...of(
    'an organization',
    'nobody: only what the relying party invited',
    [...['RightWithdrawn', 'SignersLookedUp']],
    ['organizationSignerRemove'],
  ),
  ...of(
    'an organization',
    'an ADMIN by push, of the very name',
    [...['OrganizationRenamed', 'SessionStarted']],
    ['organizationNameLatin'],
  ),
  ...of(
    'an organization',
    'two operators; an ADMIN by push, of the name certified',
    [...['SealCertificateIssued', 'SessionStarted']],
    ['sealCertificateIssue'],
  ),
  ...of('an organization', 'two operators', ['DocumentSealed'], ['seal', 'sealPdf']),
  ...of('an organization', 'nobody: a certificate is public', [], ['sealCertificate']),

  ...of('a person', 'the phone with its key, and PIN1', ['DeviceDeactivated'], ['device_disown']),
  ...of(
    'nobody',
    'the phone with its key; signing asks the PIN',
    [
      ...[
        'SessionClaimed',
        'BatchDocumentSigned',
        'SessionConfirmed',
        'CertificateChosen',
        'SessionRefused',
      ],
      ...['DeviceDeactivated', 'DeviceEnrolled'],
    ],
    [
      ...['device_links', 'device_confirm', 'device_certificate', 'device_refuse'],
      ...['device_deactivate', 'device_enrolments', 'device_pin_locked'],
    ],
  ),
  ...of(
    'nobody',
    'the relying party, for itself',
    ['WebhookKeysRotated'],
    ['rotateOwnWebhookKeys'],
  ),
  ...of(
    'nobody',
    'the caller: the session is theirs',
    [],
    [
      ...['session', 'sessionEvents', 'device', 'device_inbox', 'device_notices', 'device_session'],
      ...['device_phones', 'device_history', 'device_pin_entry'],
      ...['signatureStamp', 'documents.sign.eid.poll'],
    ],
  ),
  ...of(
    'nobody',
    'the caller: the session is theirs',
    ['SessionCancelled', 'SessionExpired'],
    ['sessionCancel'],
  ),

  ...of(
    'a person',
    'proved by what only the person has',
    ['IdentityVerificationAttempted'],
    [
      ...['kyc_citizen_card', 'kyc_step_citizen_card', 'kyc_step_dan', 'kyc_step_gsign'],
      'kyc_step_passport',
    ],
  ),
  ...of(
    'nobody',
    'the applicant: the verification is theirs',
    ['IdentityVerificationCancelled'],
    [...['kyc_verifications', 'kyc_verification', 'kyc_cancel', 'kyc_methods', 'kyc_dan_callback']],
  ),

  ...of(
    'nobody',
    'the person in the browser, who answered on the phone',
    [],
    [
      ...['login.show', 'login.status', 'login.qr', 'login.return', 'login.restart', 'login.abort'],
      ...['login.organization', 'login.consent', 'login.consents', 'login.consents.return'],
      ...['login.consents.withdraw', 'consentLookup'],
      ...['me', 'me.return', 'me.history', 'me.session', 'me.session.allow', 'me.phone'],
    ],
  ),
  ...of(
    'nobody',
    'the person in the browser, by PIN1 on a phone of theirs for exactly this phone',
    ['SessionStarted', 'DeviceDeactivated'],
    ['me.phone.end', 'me.phone.ending', 'me.phone.ending.status'],
  ),

  ...of(
    'nobody',
    'the tenant: documents and policies are its own',
    [],
    [
      ...['documents.policies.change', 'documents.policies.changeOne', 'documents.policies.list'],
      ...['documents.policies.read', 'documents.create', 'documents.list', 'documents.read'],
      ...['documents.signatures', 'documents.signingRails', 'documents.file.upload'],
      ...['documents.file.recognise', 'documents.file.download'],
    ],
  ),

  ...of(
    'a relying party',
    fourEyes,
    [approval, 'RelyingPartyRegistered', 'RelyingPartyEdited'],
    [...['admin.relyingParties.register', 'admin.relyingParties.edit']],
  ),
  ...of(
    'a relying party',
    fourEyes,
    [
      ...[approval, 'RelyingPartyReactivated', 'RelyingPartyDeactivated', 'SealingAllowed'],
      ...['RelyingPartyNamesSet', 'SecretRotated', 'SecretOffered'],
    ],
    [
      ...['admin.relyingParties.reactivate', 'admin.relyingParties.deactivate'],
      ...['admin.relyingParties.allowSealing', 'admin.relyingParties.setNames'],
      ...['admin.relyingParties.rotateSecret', 'admin.relyingParties.handOverSecret'],
    ],
  ),
  ...of(
    'a relying party',
    'who opens the link first, which an operator made under the same rule',
    ['SecretRotated', 'OidcClientSecretRotated'],
    ['handOver.take'],
  ),
  ...of(
    'a relying party',
    'one operator: it only takes away',
    ['SealingWithdrawn'],
    ['admin.relyingParties.withdrawSealing'],
  ),
  ...of(
    'a relying party',
    roleAlone,
    [...['SubsystemRenamed', 'SubsystemDeactivated', 'SubsystemActivated', 'SubsystemMerged']],
    [
      ...['admin.subsystems.rename', 'admin.subsystems.deactivate', 'admin.subsystems.activate'],
      'admin.subsystems.merge',
    ],
  ),
  ...of(
    'a relying party',
    `${roleAlone}; its secret and end take two`,
    [
      ...['OidcClientRegistered', 'OidcClientEdited', 'OidcClientReactivated'],
      ...['OidcClientDeactivated', 'OidcClientSecretRotated', 'OidcClientSecretOffered', approval],
    ],
    [
      ...['admin.oidcClients.register', 'admin.oidcClients.edit', 'admin.oidcClients.reactivate'],
      ...['admin.oidcClients.deactivate', 'admin.oidcClients.rotateSecret'],
      'admin.oidcClients.handOverSecret',
    ],
  ),
  ...of(
    'an organization',
    `${roleAlone}; ADMINs are told; its end takes two`,
    [
      ...['OrganizationRegistered', 'OrganizationNameChanged', 'OrganizationSuspended', approval],
      ...['OrganizationRestored', 'OrganizationVerified', 'OrganizationActivated'],
      'OrganizationRevoked',
    ],
    ['admin.organizations.register', 'admin.organizations.edit'],
  ),
  ...of(
    'an organization',
    `${roleAlone}; ADMINs and the person are told`,
    [...['RightGranted', 'RightWithdrawn']],
    ['admin.representatives.add', 'admin.representatives.remove'],
  ),
  ...of(
    'an organization',
    fourEyes,
    [approval, 'SealCertificateIssued'],
    ['admin.organizations.issueSealCertificate'],
  ),
  ...of(
    'a person',
    fourEyes,
    [
      ...[approval, 'CertificateRevoked', 'CertificateSuspended', 'DeviceDeactivated'],
      'PersonForgotten',
    ],
    ['admin.certificates.revoke', 'admin.devices.deactivate', 'admin.users.forget'],
  ),
  ...of(
    'a person',
    operatorReads,
    ['OperatorRead'],
    [
      ...['admin.user.list', 'admin.user.read', 'admin.user.certificates', 'admin.device.list'],
      ...['admin.device.read', 'admin.certificate.list', 'admin.certificate.read'],
      'admin.certificate.body',
      ...['admin.session.list', 'admin.session.read', 'admin.names.find'],
      ...['admin.identityVerification.list'],
      ...['admin.identityVerification.read', 'admin.documents.list', 'admin.documents.read'],
      ...['admin.audit.export', 'admin.audit.events', 'admin.audit.list', 'admin.audit.read'],
      ...['admin.approvals.list', 'admin.approvals.get', 'admin.restored.report'],
    ],
  ),
  ...of('an organization', operatorReads, ['OperatorRead'], ['admin.organizations.show']),
  ...of(
    'an operator',
    'other operators, by the rules of independence',
    [
      ...['OperatorAdded', 'OperatorRoleChanged', 'OperatorDeactivated', 'SecondFactorReset'],
      approval,
    ],
    [
      ...['admin.admins.add', 'admin.admins.changeRole', 'admin.admins.deactivate'],
      'admin.admins.resetSecondFactor',
    ],
  ),
  ...of(
    'nobody',
    roleAlone,
    [],
    [
      ...['admin.auth.login', 'admin.auth.mfa', 'admin.auth.logout', 'admin.auth.password'],
      ...['admin.auth.accessToken', 'admin.account', 'admin.audit.signTreeHead'],
      ...['admin.audit.treeHead', 'admin.audit.treeKeys', 'admin.audit.inclusionProof'],
      ...['admin.audit.consistencyProof', 'admin.stats'],
      ...['admin.system', 'admin.pki.status', 'admin.relyingParties.list'],
      ...['admin.relyingParties.show', 'admin.relyingParties.requests', 'ownRequests'],
      ...['admin.relyingParties.webhookMessages', 'admin.relyingParties.resendWebhookMessages'],
      ...['ownWebhooks', 'ownWebhookMessages', 'resendOwnWebhookMessages'],
      ...['admin.subsystems.list', 'admin.organizations.list'],
      ...['admin.approvals.approve', 'admin.approvals.reject', 'admin.approvals.collect'],
      ...['admin.admins.list', 'admin.oidcClients.list', 'admin.oidcClients.show'],
      ...['admin.registers.compare', 'admin.registers.import'],
      ...['admin.restored', 'admin.restored.ask', 'admin.restored.accept'],
      ...['admin.projections.skip', 'admin.projections.retry'],
      ...['admin.assistant.prompts.list'],
      ...['admin.assistant.prompts.read', 'admin.assistant.prompts.change'],
      ...['admin.assistant.articles.list', 'admin.assistant.articles.read'],
      ...['admin.assistant.articles.add', 'admin.assistant.articles.change'],
      ...['admin.assistant.articles.remove', 'admin.assistant.knowledge.reindex'],
      ...['admin.assistant.knowledge.progress', 'admin.assistant.knowledge.search'],
    ],
  ),
  ...of(
    'nobody',
    'consent to the client, of each citizen whom events are about',
    [],
    [
      ...['signalStream', 'signalStreamStatus', 'addSignalSubject', 'removeSignalSubject'],
      ...['verifySignalStream', 'pollSignalStream'],
    ],
  ),
  ...of(
    'nobody',
    'consent to the client, of each citizen whom events are about; on record',
    ['SignalStreamChanged'],
    [
      ...['createSignalStream', 'changeSignalStream', 'replaceSignalStream'],
      ...['deleteSignalStream', 'setSignalStreamStatus'],
    ],
  ),
  ...of(
    'nobody',
    'public',
    [],
    [
      ...[
        'livez',
        'readyz',
        'metrics',
        ...['landing', 'landingStyle', 'favicon'],
        'openapi',
        'discovery',
        'signalTransmitter',
        'auditKeys',
        'tsa',
        'ocsp',
        'ocspGet',
      ],
      ...['rootCaCertificate', 'personalCaCertificate', 'organizationCaCertificate', 'crl'],
      ...['crlOrganization', 'crlRoot', 'verify', 'verify.start', 'verify.made', 'handOver'],
      ...['verifyStyle', 'verifyScript'],
      ...['loginStyle', 'loginScript', 'assistant', 'assistantStyle', 'assistantScript'],
      ...['ai.chat', 'ai.stream', 'ai.stt', 'ai.tts', 'ai.translate', 'ai.public.chat'],
      ...['ai.public.stream', 'ai.public.tts'],
    ],
  ),
]);

/** Row of a route. @param name operation id */
export function consentOf(name: string): RouteConsent | undefined {
  return routeConsents.get(name.replace(/\.v1$/, '').replace(/^ai\.v1\./, 'ai.'));
}
