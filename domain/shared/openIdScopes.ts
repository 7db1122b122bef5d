/** Scopes with the text of their consent (OpenID Connect Core §5.4; RFC 6749 §3.3). */
export interface OpenIdScope {
  readonly description: string;
  readonly descriptionMn: string;
  /** True when pages should highlight it: it reveals more than a name, or allows actions. */
  readonly sensitive: boolean;
  /** Its claims, in the ID token and at the UserInfo endpoint. */
  readonly claims: readonly string[];
}

const scope = (
  description: string,
  descriptionMn: string,
  claims: readonly string[],
  sensitive = false,
): OpenIdScope => ({ description, descriptionMn, sensitive, claims });

/** All scopes. */
export const openIdScopes = {
  openid: scope('Sign you in', 'Таныг нэвтрүүлэх', ['sub', 'acr', 'amr', 'auth_time']),
  profile: scope(
    'Your name, date of birth, gender and number in the core registry',
    'Таны нэр, төрсөн огноо, хүйс, үндсэн бүртгэлийн дугаар',
    ['name', 'given_name', 'family_name', 'birthdate', 'gender', 'ge_id'],
    true,
  ),
  email: scope('Your e-mail address', 'Таны и-мэйл хаяг', ['email', 'email_verified']),
  organization: scope(
    'The organization you act for, and your right to represent it',
    'Таны төлөөлж буй байгууллага, төлөөлөх эрх',
    ['org_id', 'org_name', 'org_role', 'org_right'],
  ),
  offline_access: scope(
    'Keep access while you are away',
    'Таныг байхгүй үед хандсаар байх',
    [],
    true,
  ),
  'documents.read': scope('Read your documents', 'Таны баримт бичгийг унших', [], true),
  'documents.manage': scope(
    'Create and change documents for you',
    'Таны өмнөөс баримт бичиг үүсгэж, өөрчлөх',
    [],
    true,
  ),
  'documents.sign': scope(
    'Start signing documents with you',
    'Тантай баримт бичигт гарын үсэг зуруулах үйлдэл эхлүүлэх',
    [],
    true,
  ),
  'directory.read': scope(
    'Look up persons and organizations',
    'Иргэн, байгууллагыг лавлах',
    [],
    true,
  ),
} as const satisfies Readonly<Record<string, OpenIdScope>>;

export type OpenIdScopeName = keyof typeof openIdScopes;

export const openIdScopeNames = Object.keys(openIdScopes) as readonly OpenIdScopeName[];

/** Known scopes in a `scope` parameter, each once, in the order of {@link openIdScopeNames}. */
export function readScopes(text: string): readonly OpenIdScopeName[] {
  const words = new Set(text.split(' '));
  return openIdScopeNames.filter((name) => words.has(name));
}
