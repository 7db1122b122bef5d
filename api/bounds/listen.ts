import type { Server } from 'node:http';

/** Listening address. */
export interface ListenAddress {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  /** Name of the setting of the port. */
  readonly variable: string;
}

/** Backlog: connections waiting to be accepted. */
const BACKLOG = 4096;

/** Starts listening. @throws Error with the cause and the remedy */
export function listen(server: Server, { port, host, variable }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new Error(reasonOf(error.code, { port, host, variable })));
    server.once('error', fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function reasonOf(code = 'an error', { port, host, variable }: ListenAddress): string {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `Port ${port} is in use, perhaps by another \`./tamga up\` or \`serve\`; \`ss -ltnp sport = :${port}\` shows by whom. ` +
        `Stop that program, or set ${variable} to another port (0 takes any free one).`
      );
    case 'EACCES':
      return `This process may not listen on port ${port}. Set ${variable} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
      return `This machine does not have the address ${host}. Set SVC_HOST to one of its own addresses.`;
    default:
      return `Listening on ${host}, port ${port} (${variable}) failed with ${code}.`;
  }
}
