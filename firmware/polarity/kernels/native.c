/* The kernels as an extension of CPython: `pip install` builds it where there is a C compiler.

   A kernel takes numbers, and buffers, of which it is handed the address; None is no buffer. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* 3.11: one build serves all later versions */
#include <Python.h>
#include <string.h>

#include "kernels.h"

enum { MOST_WORDS = 4 };

/* Fills `words` from `args`, of which `kinds` says p for a buffer, i for a number. */
static int take(const char *kinds, PyObject *const *args, Py_ssize_t count, word *words)
{
    if (count != (Py_ssize_t)strlen(kinds)) {
        PyErr_Format(PyExc_TypeError, "a kernel of %zu arguments got %zd", strlen(kinds), count);
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (kinds[k] == 'i') {
            words[k] = (word)PyLong_AsLongLong(args[k]);
            if (words[k] == -1 && PyErr_Occurred())
                return 0;
            continue;
        }
        Py_buffer buffer;
        if (PyObject_GetBuffer(args[k], &buffer, PyBUF_SIMPLE))
            return 0;
        words[k] = (word)buffer.buf; /* the caller holds it until the kernel returns */
        PyBuffer_Release(&buffer);
    }
    return 1;
}

#define P(k) ((void *)words[k])
#define I(k) ((int32_t)words[k])
#define CALL(name, kinds, ...)                                                                     \
    static PyObject *py_##name(PyObject *module, PyObject *const *args, Py_ssize_t count)          \
    {                                                                                              \
        word words[MOST_WORDS];                                                                    \
        (void)module;                                                                              \
        return take(kinds, args, count, words) ? PyLong_FromLong(name(__VA_ARGS__)) : NULL;        \
    }
KERNELS(CALL)

static PyObject *py_address(PyObject *module, PyObject *buffer)
{
    word words[1];
    (void)module;
    return take("p", &buffer, 1, words) ? PyLong_FromSsize_t(words[0]) : NULL;
}

static PyObject *py_gradient(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromSsize_t((word)gradient);
}

static PyObject *py_links(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return Py_BuildValue("[nnnnn]", (word)look, (word)fit, (word)enter, (word)leave, (word)misfit);
}

#define ENTRY(name, kinds, ...) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL},
static PyMethodDef methods[] = {
    KERNELS(ENTRY)
    {"address", py_address, METH_O, "Where a buffer lies."},
    {"gradient", py_gradient, METH_NOARGS, "Where the code of FIT_GRADIENT lies."},
    {"links", py_links, METH_NOARGS, "Where the code of FLIGHT_LOOK to FLIGHT_MISFIT lies."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "The kernels in C.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    size_t words = sizeof(Scene) + sizeof(Share) + sizeof(Region) + sizeof(Fit) + sizeof(Flyer) + sizeof(Flight) + sizeof(Watch) + sizeof(Inputs);
    if (module && (PyModule_AddStringConstant(module, "WORD", sizeof(word) == 8 ? "q" : "i") < 0 ||
                   PyModule_AddIntConstant(module, "LAYOUT", (long)(words / sizeof(word))) < 0)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
