# A study in a container; docs/studies.md says how to serve it. It installs the wheel that `make dist` builds.
FROM python:3.13.9-slim-trixie
COPY constraints.txt dist/termgauge-*.whl /tmp/build/
RUN pip install --no-cache-dir --constraint /tmp/build/constraints.txt /tmp/build/termgauge-*.whl \
    && rm -r /tmp/build \
    && useradd --uid 10001 --create-home study \
    && install --directory --owner study --mode 700 /studies
USER 10001
WORKDIR /studies
VOLUME /studies
EXPOSE 8000
ENTRYPOINT ["termgauge"]
CMD ["study", "serve", "study", "--host", "0.0.0.0"]
