const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Nothing that came from outside becomes part of a path or an address. @throws Error unless it is a UUID */
export function expectFileId(fileId: string): string {
  if (!UUID.test(fileId)) throw new Error('A file is named by a UUID.');
  return fileId;
}
