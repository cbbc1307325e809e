/*===- classify.c - Say what a picture shows ------------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gives a picture to a model that classifies pictures, and prints the five
names
 * with the highest scores:
 *
 *   dml-classify MODEL NAMES PICTURE
 *
 * NAMES has a line for each class. PICTURE is a PGM or a PPM file of the bytes
 * 0 to 255, which become the numbers 0 to 1, of the size that the model takes.
 *
\*===----------------------------------------------------------------------===*/

#include <dml/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 256, MOST_PIXELS = 1 << 24 };

/* Ends the program where a call has failed. */
static void check(DmlResult result, DmlError error) {
  if (result == DML_SUCCESS)
    return;
  fprintf(stderr, "error: %s\n", dmlGetErrorMessage(error));
  dmlDestroyError(error);
  exit(1);
}

static void fail(const char *path, const char *problem) {
  fprintf(stderr, "error: '%s' %s\n", path, problem);
  exit(1);
}

/* Reads a number of a picture's header, before which comments may stand. */
static int readNumber(FILE *file, const char *path) {
  int number = 0, letter;
  while ((letter = fgetc(file)) == '#' || letter == ' ' || letter == '\t' ||
         letter == '\r' || letter == '\n')
    while (letter == '#' && (letter = fgetc(file)) != '\n' && letter != EOF)
      letter = '#';
  ungetc(letter, file);
  if (fscanf(file, "%7d", &number) != 1 || number < 1)
    fail(path, "has no size where wanted is one of 1 or more");
  return number;
}

/* Reads a picture as an input: 1, channels, rows and columns. */
static DmlSessionTensor readPicture(const char *path) {
  FILE *file = fopen(path, "rb");
  DmlSessionTensor tensor = {0};
  char magic[2];
  int channels, width, height, most, i, channel;
  size_t count;
  float *elements;
  if (!file)
    fail(path, "cannot be opened");
  if (fread(magic, 2, 1, file) != 1 || magic[0] != 'P' ||
      (magic[1] != '5' && magic[1] != '6'))
    fail(path, "is no PGM or PPM file: wanted is P5 or P6 at its beginning");
  channels = magic[1] == '5' ? 1 : 3;
  width = readNumber(file, path);
  height = readNumber(file, path);
  most = readNumber(file, path);
  if (most > 255 || width > MOST_PIXELS / height)
    fail(path, "has more than 8 bits to a channel, or too many pixels");
  fgetc(file);

  count = (size_t)channels * width * height;
  elements = malloc(count * sizeof(float));
  if (!elements)
    fail(path, "does not fit into memory");
  for (i = 0; i < width * height; ++i)
    for (channel = 0; channel < channels; ++channel) {
      int byte = fgetc(file);
      if (byte == EOF)
        fail(path, "ends before its last pixel");
      elements[channel * width * height + i] = (float)byte / (float)most;
    }
  fclose(file);

  tensor.dataType = DML_DATA_TYPE_FLOAT32;
  tensor.rank = 4;
  tensor.sizes[0] = 1, tensor.sizes[1] = channels;
  tensor.sizes[2] = height, tensor.sizes[3] = width;
  tensor.data = elements;
  tensor.byteSize = count * sizeof(float);
  return tensor;
}

/* Writes the name of a class, which is a line of the file, into `name`. */
static void findName(const char *path, size_t place, char *name) {
  FILE *file = fopen(path, "r");
  size_t line;
  if (!file)
    fail(path, "cannot be opened");
  for (line = 0; line <= place; ++line)
    if (!fgets(name, LONGEST_NAME, file))
      fail(path, "has fewer names than the model has classes");
  fclose(file);
  name[strcspn(name, "\r\n")] = 0;
}

static void printHighest(const DmlSessionTensor *scores, const char *names) {
  float *elements = scores->data;
  size_t count = scores->byteSize / sizeof(float), i, best;
  int rank;
  char name[LONGEST_NAME];
  for (rank = 0; rank < 5 && (size_t)rank < count; ++rank) {
    for (best = 0, i = 1; i < count; ++i)
      if (elements[i] > elements[best])
        best = i;
    findName(names, best, name);
    printf("%.4f %s\n", elements[best], name);
    /* Below every score that is left. */
    elements[best] = -1e30f;
  }
}

int main(int argc, char **argv) {
  DmlSessionCreateInfo info = {0};
  DmlSession session = NULL;
  DmlError error = NULL;
  DmlSessionTensor picture, scores = {0};
  if (argc != 4) {
    fprintf(stderr, "usage: dml-classify MODEL NAMES PICTURE\n");
    return 2;
  }
  info.path = argv[1];
  check(dmlCreateSession(&info, &session, &error), error);
  picture = readPicture(argv[3]);
  check(dmlRunSession(session, &picture, 1, &scores, 1, &error), error);
  if (scores.dataType != DML_DATA_TYPE_FLOAT32)
    fail(argv[1], "has no scores of f32");
  printHighest(&scores, argv[2]);

  dmlFreeTensor(&scores);
  free(picture.data);
  dmlDestroySession(session);
  return 0;
}
