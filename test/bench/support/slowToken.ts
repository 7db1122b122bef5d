import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

/**
 * C source of a PKCS#11 module that wraps another and delays `C_Sign`, like a network HSM;
 * everything else is passed on.
 */
const source = (modulePath: string, milliseconds: number) => `
#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include "pkcs11.h"

static CK_FUNCTION_LIST functions;
static CK_C_Sign sign_at_once;

static CK_RV slow_sign(CK_SESSION_HANDLE session, CK_BYTE_PTR data, CK_ULONG length,
                       CK_BYTE_PTR signature, CK_ULONG_PTR signature_length) {
  struct timespec pause = {0, ${milliseconds * 1_000_000}};
  nanosleep(&pause, 0);
  return sign_at_once(session, data, length, signature, signature_length);
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR list) {
  static void *module;
  if (!module) {
    CK_FUNCTION_LIST_PTR real;
    module = dlopen("${modulePath}", RTLD_NOW);
    CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(module, "C_GetFunctionList");
    if (!get || get(&real)) return CKR_GENERAL_ERROR;
    memcpy(&functions, real, sizeof functions);
    sign_at_once = real->C_Sign;
    functions.C_Sign = slow_sign;
  }
  *list = &functions;
  return CKR_OK;
}
`;

/** Compiles the module. @returns its path; null without a C compiler */
export function buildSlowToken(
  directory: string,
  modulePath: string,
  milliseconds: number,
): string | null {
  const code = join(directory, 'slowToken.c');
  const built = join(directory, 'slowToken.so');
  writeFileSync(code, source(modulePath, milliseconds));
  const pkcs11js = dirname(createRequire(import.meta.url).resolve('pkcs11js/package.json'));
  try {
    execFileSync('cc', [
      ...['-shared', '-fPIC', '-O2', `-I${join(pkcs11js, 'includes', 'pkcs11')}`],
      ...['-o', built, code, '-ldl'],
    ]);
    return built;
  } catch {
    return null;
  }
}
