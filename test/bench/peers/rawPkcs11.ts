import { randomBytes } from 'node:crypto';
import pkcs11js from 'pkcs11js';

/** Access data of a token. */
export interface TokenAccess {
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly pin: string;
}

/**
 * Signs with `C_SignInit` and `C_SignAsync` (CKM_ECDSA) only, on `sessions` sessions in turn, with
 * a session key of its own. Must be the first user of the module in its process.
 *
 * @returns signs one digest in the session of that number
 */
export function openRawSigner(
  { modulePath, tokenLabel, pin }: TokenAccess,
  sessions: number,
): { sign(session: number): Promise<unknown>; close(): void } {
  const module = new pkcs11js.PKCS11();
  module.load(modulePath);
  module.C_Initialize({ flags: pkcs11js.CKF_OS_LOCKING_OK });
  const slot = module
    .C_GetSlotList(true)
    .find((each) => module.C_GetTokenInfo(each).label.trimEnd() === tokenLabel);
  if (slot === undefined) throw new Error(`Token ${tokenLabel} not found.`);
  const flags = pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION;
  const handles = Array.from({ length: sessions }, () => module.C_OpenSession(slot, flags));
  const [first] = handles;
  if (first === undefined) throw new Error('C_OpenSession returned no session.');
  module.C_Login(first, pkcs11js.CKU_USER, pin);
  const pair = module.C_GenerateKeyPair(
    first,
    { mechanism: pkcs11js.CKM_EC_KEY_PAIR_GEN },
    [{ type: pkcs11js.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
    [{ type: pkcs11js.CKA_SIGN, value: true }],
  );
  const digest = randomBytes(32);
  return {
    sign(session) {
      const handle = handles[session % sessions] ?? first;
      module.C_SignInit(handle, { mechanism: pkcs11js.CKM_ECDSA }, pair.privateKey);
      return module.C_SignAsync(handle, digest, Buffer.alloc(64));
    },
    close: () => {
      for (const handle of handles) module.C_CloseSession(handle);
    },
  };
}
