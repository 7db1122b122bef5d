import { html, type Html } from '../../../api/pages/html.ts';
import { renderLine } from '../markdown.ts';

/** Header with the credential of a caller, as an example has it. */
export function credentialOf(caller: string): string {
  if (caller === 'deviceProof') return 'DPoP: <proof>';
  if (caller === 'adminKey') return 'X-Admin-Key: <key>';
  return 'Authorization: Bearer <secret>';
}

/** Sources of the credentials of callers, in a demo. */
const origins: Readonly<Record<string, string>> = {
  apiSecret:
    'The credential is the secret of the relying party, in a demo `RP_SECRET` of `.tamga/demo.env`; `Bearer` stands before it.',
  accessToken:
    'The credential is an access token, in a demo `ACCESS_TOKEN` of `.tamga/demo.env`; `Bearer` stands before it.',
  operatorSession:
    'Without a credential, a demo takes who calls from its own machine for an operator with all permissions. Otherwise it is the `token` that `POST /v3/admin/auth/mfa` answers; `Bearer` stands before it.',
  operatorMfa:
    'The credential is the `token` that `POST /v3/admin/auth/login` answers for `OPERATOR_EMAIL` and `OPERATOR_PASSWORD` of `.tamga/demo.env`; `Bearer` stands before it.',
  verificationSecret:
    'The credential is the `secret` of the answer that started the identity verification; `Bearer` stands before it.',
  adminKey: 'The credential is the break-glass key, `SVC_ADMIN_API_KEY`. A demo needs none.',
};

/** @throws Error for a caller whose credential nothing is said of */
function originOf(caller: string): string {
  const origin = origins[caller];
  if (origin === undefined) throw new Error(`Nothing says where a credential of ${caller} is.`);
  return origin;
}

/** Field for the credential of a caller, with its source. */
export function credentialField(caller: string): Html {
  const [header = '', value = ''] = credentialOf(caller).split(': ');
  return html`<p>${renderLine(originOf(caller))}</p>
    <label
      >${header}
      <input
        name="credential"
        data-header="${header}"
        data-caller="${caller}"
        placeholder="${value}"
        autocomplete="off"
        spellcheck="false"
    /></label>`;
}
