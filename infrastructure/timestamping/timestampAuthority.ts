import type { Clock } from '../../application/ports/clock.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type {
  ServiceIdentities,
  ServiceIdentity,
} from '../../application/certificate/ports/serviceIdentities.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import { ACCURACY_SECONDS } from '../clockTrust.ts';
import {
  decodeTimestampRequest,
  RefusedRequest,
  type TimestampRequest,
} from './timestampRequest.ts';
import { grantingResponse, refusingResponse } from './timestampResponse.ts';
import { createTokenMaker, type TokenMaker } from './timestampToken.ts';

export interface TimestampAuthorityOptions {
  readonly identities: Pick<ServiceIdentities, 'current'>;
  readonly vault: Pick<KeyVault, 'sign'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Dotted OID of the policy tokens are issued under. */
  readonly policy: string;
  /** Reason why the clock cannot be trusted; null: it can. Default: it always can. */
  readonly clockFault?: () => string | null;
}

/** The built-in timestamping authority. */
export interface TimestampAuthority extends Timestamping {
  /**
   * Answers a TimeStampReq: a refused request gets a response with the reason, never an exception.
   *
   * @returns TimeStampResp, DER
   * While the clock cannot be trusted every request is refused (timeNotAvailable).
   *
   * @throws Unavailable(keyVault) when nothing can be signed
   */
  answer(request: Uint8Array): Promise<Buffer>;
}

/** RFC 3161 §2.4.2 allows 160 bits; 159 random ones are unique over processes and restarts. */
const SERIAL_BYTES = 20;

/** The clock may be off by more than timestamps state. */
class ClockNotTrusted extends Unavailable {
  constructor(fault: string) {
    super('timestamping', new Error(fault));
  }
}

/** Issues timestamps under the identity `TSA`, in this process, while its clock can be trusted (EN 319 421 §7.7.2). */
export function createTimestampAuthority(options: TimestampAuthorityOptions): TimestampAuthority {
  const { identities, vault, clock, randomness, policy, clockFault = () => null } = options;
  let known: { readonly identity: ServiceIdentity; readonly maker: TokenMaker } | undefined;

  function currentMaker(): TokenMaker {
    const identity = identities.current('TSA');
    if (known?.identity.serial !== identity.serial) {
      const maker = createTokenMaker(identity, (message, hash) =>
        vault.sign(identity.keyLabel, message, hash),
      );
      known = { identity, maker };
    }
    return known.maker;
  }

  async function makeToken(request: Omit<TimestampRequest, 'policy'>): Promise<Buffer> {
    const fault = clockFault();
    if (fault !== null) throw new ClockNotTrusted(fault);
    const serial = randomness.bytes(SERIAL_BYTES);
    serial[0] = (serial[0] ?? 0) & 0x7f;
    const statement = {
      policy,
      hash: request.hash,
      digest: request.digest,
      serial,
      time: clock.now(),
      accuracySeconds: ACCURACY_SECONDS,
      nonce: request.nonce,
    };
    return currentMaker().make(statement, request.certificateWanted);
  }

  return {
    timestamp: (digest, hash) => makeToken({ digest, hash, nonce: null, certificateWanted: true }),
    async answer(bytes) {
      try {
        const request = decodeTimestampRequest(bytes);
        if (request.policy !== null && request.policy !== policy) {
          throw new RefusedRequest('unacceptedPolicy');
        }
        return grantingResponse(await makeToken(request));
      } catch (error) {
        if (error instanceof RefusedRequest) return refusingResponse(error.failure);
        if (error instanceof ClockNotTrusted) return refusingResponse('timeNotAvailable');
        throw error;
      }
    },
  };
}
