import { w } from './wire.ts';

/** Problems of requests as such: their form, their caller, how busy the service is; part of the table in `problems.ts`. */
export const requestProblems = {
  INVALID_REQUEST: w(400, 'Invalid request', 'The request is malformed; see errors.'),
  CLIENT_TOO_OLD: w(
    480,
    'Client too old',
    'This generation of the protocol is no longer served; update the client.',
  ),
  UNSUPPORTED_MEDIA_TYPE: w(
    415,
    'Unsupported media type',
    'Send the body as application/json in UTF-8, without a content encoding.',
  ),
  PAYLOAD_TOO_LARGE: w(413, 'Payload too large', 'The body is larger than this address accepts.'),
  METHOD_NOT_ALLOWED: w(
    405,
    'Method not allowed',
    'This address does not accept this method; the Allow header lists those it accepts.',
  ),
  NOT_FOUND: w(404, 'Not found', 'There is nothing at this address.'),
  CONFLICT: w(409, 'Conflict', 'Somebody else changed this at the same time; read it and retry.'),
  PRECONDITION_FAILED: w(
    412,
    'Changed meanwhile',
    'Somebody changed this since you read it; read it again and repeat your edit.',
  ),
  RATE_LIMITED: w(429, 'Too many requests', 'Too many requests; wait for Retry-After seconds.'),
  QUOTA_EXCEEDED: w(
    429,
    'Quota used up',
    'Your daily quota is used up; wait for Retry-After seconds.',
  ),
  OVERLOADED: w(503, 'Overloaded', 'The service is busy; retry after Retry-After seconds.'),
  DEPENDENCY_UNAVAILABLE: w(
    503,
    'Service unavailable',
    'Part of the service is unavailable; retry after Retry-After seconds.',
  ),
  MAINTENANCE: w(
    503,
    'Maintenance',
    'No new sessions are started during maintenance; retry after Retry-After seconds.',
  ),
  INTERNAL: w(
    500,
    'Internal error',
    'The service failed to answer; the operator can find the cause by the instance id.',
  ),
  UNAUTHENTICATED: w(
    401,
    'Not authenticated',
    'The credentials are missing, wrong or no longer valid.',
  ),
  PERMISSION_DENIED: w(403, 'Permission denied', 'You are not permitted to do this.'),
  IP_NOT_ALLOWED: w(403, 'Address not allowed', 'Calls from this IP address are not allowed.'),
  CLIENT_CERTIFICATE_REQUIRED: w(
    403,
    'Client certificate required',
    'A registered TLS client certificate is required.',
  ),
  DIRECTORY_NOT_CONFIGURED: w(
    503,
    'No directory',
    'This installation has no directory of persons and organizations; ask its operator.',
  ),
  DIRECTORY_FAILED: w(
    502,
    'Directory failed',
    'The registry behind the directory did not answer, or its answer could not be read; try again later.',
  ),
} as const;
