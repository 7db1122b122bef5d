/** The error a promise is rejected with; fails when it is fulfilled. */
export async function expectRejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('The promise was fulfilled but a rejection was expected.');
}
