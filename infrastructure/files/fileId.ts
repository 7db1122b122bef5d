const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Keeps external input out of paths and addresses. @throws Error unless a UUID */
export function expectFileId(fileId: string): string {
  if (!UUID.test(fileId)) throw new Error('The file id is not a UUID.');
  return fileId;
}
