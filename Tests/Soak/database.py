"""A PostgreSQL server for a soak, in its folder, reached by a socket there."""
import asyncio
import os
import pathlib
import shutil
import subprocess


class Database:
    def __init__(self, folder):
        self.folder, self.process = folder / "postgres", None
        self.programs = max(
            pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
        # The server refuses to run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        self.address = f"postgres://shunt@/postgres?host={str(self.folder).replace('/', '%2F')}&port=5432"

    def make(self):
        if not self.programs:
            raise SystemExit("soak: PostgreSQL's server is missing (apt install postgresql)")
        self.folder.mkdir()
        if self.user:
            self.folder.parent.chmod(0o711)
            shutil.chown(self.folder, "postgres")
        subprocess.run(
            [*self.user, self.programs / "initdb", "-D", self.folder / "data", "-U", "shunt", "--auth=trust",
             "-E", "UTF8", "--locale=C", "--no-sync"], cwd="/", check=True, capture_output=True)

    async def start(self):
        """Returns once it accepts connections."""
        self.process = await asyncio.create_subprocess_exec(
            *self.user, self.programs / "postgres", "-D", self.folder / "data", "-h", "", "-k", self.folder,
            "-c", "fsync=off", "-c", "dynamic_shared_memory_type=mmap", cwd="/",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while (await (await asyncio.create_subprocess_exec(
                self.programs / "pg_isready", "-q", "-h", self.folder)).wait()) != 0:
            await asyncio.sleep(0.1)

    async def stop(self):
        """Ends it as an administrator does who does not wait for its users."""
        if self.process:
            self.process.send_signal(2)
            await self.process.wait()
