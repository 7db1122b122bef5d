import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../../../main/cli/test.ts';
import { run } from './tools.ts';

/** A compiled program in C#. */
export interface DotnetProgram {
  /** Arguments of `dotnet` that start it. */
  readonly start: readonly string[];
  remove(): Promise<void>;
}

/**
 * Compiles a program of one file.
 *
 * @param sdk of the project, such as `Microsoft.NET.Sdk.Web`
 * @param packages from NuGet, with their versions
 * @returns why there is none
 * @throws Error with the compiler's messages
 */
export async function dotnetProgram(
  source: string,
  sdk: string,
  packages: Readonly<Record<string, string>>,
): Promise<DotnetProgram | string> {
  if (!isInstalled('dotnet')) return 'dotnet is missing (.NET SDK 10)';
  const directory = await mkdtemp(join(tmpdir(), 'tamga-dotnet-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const references = Object.entries(packages).map(
    ([name, version]) => `<PackageReference Include="${name}" Version="${version}" />`,
  );
  await mkdir(join(directory, 'home'));
  await writeFile(join(directory, 'Program.cs'), source);
  await writeFile(
    join(directory, 'App.csproj'),
    `<Project Sdk="${sdk}"><PropertyGroup><OutputType>Exe</OutputType>
      <TargetFramework>net10.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings>
      <Nullable>enable</Nullable></PropertyGroup><ItemGroup>${references.join('')}</ItemGroup></Project>`,
  );
  const project = join(directory, 'App.csproj');
  const restored = await run('dotnet', 'restore', '--nologo', project);
  if (restored.code !== 0) {
    await remove();
    return `${Object.keys(packages).join(', ')} cannot be installed from NuGet`;
  }
  const out = join(directory, 'out');
  const built = await run('dotnet', 'build', '--nologo', '--no-restore', '-o', out, project);
  if (built.code !== 0) throw new Error(built.output);
  return { start: [join(out, 'App.dll')], remove };
}
